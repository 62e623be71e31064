import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../sandbox/kit/free-port.js';
import { root } from '../structure/source-files.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { type Road, startRoad } from './bad-road.js';

const run = promisify(execFile);

/** A guide's code in one language, block by block: the tests run exactly the code that users copy. */
async function blocksOf(guide: string, language: string, fromHeading = ''): Promise<string[]> {
  const text = await readFile(join(root, 'docs', guide), 'utf8');
  const part = text.slice(text.indexOf(fromHeading));
  return [...part.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

/** docs/api.md's program in a language, reading two members a page, and a last line that is refused. */
async function programOf(language: string, refused: string): Promise<string> {
  const [first = '', ask = '', list = '', create = ''] = await blocksOf('api.md', language, '## The first call');
  expect(list, 'the list').to.include('limit=100');
  const asWritten = [first, ask, list.replace('limit=100', 'limit=2')];
  return [...asWritten, ...(language === 'lua' ? [] : [create]), refused].join('\n');
}

const isInstalled = (program: string, ...args: string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  );

describe('The examples of docs/api.md', () => {
  // Each Lua call is its own process.
  let folder: string;
  let guild: TestGuild;
  let names: string[];
  let road: Road;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-guide-'));
    guild = await buildGuild();
    const people = [await buildMember(guild), await buildMember(guild), await buildMember(guild)];
    names = people.map(({ gameUsername }) => gameUsername);
  });
  beforeEach(async () => {
    road = await startRoad();
  });
  afterEach(() => road.close());
  after(() => removeFolder(folder));

  /** Runs a program as its reader would, and returns its output. */
  async function play(command: string, args: string[], more: Record<string, string> = {}): Promise<string> {
    const ours = { ROLELINK: road.url, SERVER: guild.guildId, TOKEN: guild.token };
    const env = { ...process.env, ...ours, ...more };
    const { stdout, stderr } = await run(command, args, { cwd: folder, env });
    return stdout + stderr;
  }

  /** Checks the program's output about the three members and the refusal. */
  function judge(printed: string): void {
    expect(printed).to.match(/3 linked, \d+ requests left|"linked":3/);
    for (const name of names) expect(printed).to.include(name);
    expect(printed).to.include('member_not_found');
    expect(road.played).to.include('429 GET /members');
  }

  /** Reads the webhook that was made although its answer got lost, and answers with its secret. */
  async function judgeWebhook(printed: string, mine: string): Promise<string> {
    expect(road.played).to.include('lost POST /webhooks');
    const { data } = (await guild.api.get(`${guild.path}/webhooks?limit=100`)).body;
    expect(data.filter(({ url }: { url: string }) => url === mine)).to.have.length(1);
    const [, secret = ''] = /SECRET=(whsec_[\w+/]+=*)/.exec(printed) ?? [];
    expect(secret, printed).to.not.equal('');
    return secret;
  }

  /** Sends a receiver a Rolelink delivery, signed. */
  function send(url: string, secret: string, body: string): Promise<Response> {
    const [id, at] = ['msg_2', new Date()];
    const signature = new Webhook(secret).sign(id, at, body);
    const sentAt = String(Math.floor(at.getTime() / 1000));
    const headers = { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signature };
    return fetch(url, { method: 'POST', body, headers });
  }

  /** Starts a receiver and sends it a test event, and something forged. */
  async function receive(command: string, args: string[], secret: string, mine: string): Promise<void> {
    const { port } = new URL(mine);
    const child = spawn(command, args, { cwd: folder, env: { ...process.env, PORT: port, SECRET: secret } });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    try {
      const forge = () => fetch(mine, { method: 'POST', body: '{"id":"evt_1","event":"forged","data":{}}' });
      const forged = await eventually(() => forge().catch(() => null), 'the receiver');
      expect(forged.status).to.equal(401);
      const { data } = (await guild.api.get(`${guild.path}/webhooks?limit=100`)).body;
      const { webhookId } = data.find(({ url }: { url: string }) => url === mine);
      const [tried = ''] = (await blocksOf('api.md', 'sh', '## Receiving events')).slice(0, 1);
      const [call = ''] = await blocksOf('api.md', 'sh', '## The first call');
      const script = `${call.replace(/^call .*$/m, '')}\n${tried.replace('<webhook id>', webhookId)}`;
      const answer = (await isInstalled('curl', '--version'))
        ? JSON.parse(await play('sh', ['-euc', script]))
        : (await guild.api.post(`${guild.path}/webhooks/${webhookId}/test`, {})).body;
      expect(answer).to.include({ event: 'verification.completed', delivered: true });
      await eventually(() => printed.includes('verification.completed TestEvent'), 'the event');
      expect(printed).to.not.include('forged');
      const other = JSON.stringify({ id: 'evt_2', event: 'guild.suspended', data: { guildId: guild.guildId } });
      expect((await send(mine, secret, other)).status).to.equal(204);
      await eventually(() => printed.includes('guild.suspended'), 'an event about no person');
      expect(printed).to.not.match(/Traceback|Error/);
    } finally {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }

  it('The examples of docs/api.md work in curl', async function () {
    const program = await programOf('sh', 'ask /members/100000000000000001 || exit 0');
    if (!(await isInstalled('curl', '--version'))) return this.skip();
    const mine = 'https://curl.example/hook';
    const printed = await play('sh', ['-uc', program], { MINE: mine });
    judge(printed);
    await judgeWebhook(printed, mine);
  });

  it('The examples of docs/api.md work in Node', async () => {
    const mine = `http://127.0.0.1:${await freePort()}/hook`;
    const refused = "await ask('GET', '/members/100000000000000001').catch((refusal) => console.log(refusal.message));";
    await writeFile(join(folder, 'program.mjs'), await programOf('js', refused));
    const printed = await play(process.execPath, ['program.mjs'], { MINE: mine });
    judge(printed);
    const secret = await judgeWebhook(printed, mine);
    const [check = ''] = await blocksOf('webhooks.md', 'js');
    await writeFile(join(folder, 'is-from-rolelink.mjs'), check);
    const [receiver = ''] = await blocksOf('api.md', 'js', '## Receiving events');
    await writeFile(join(folder, 'receiver.mjs'), receiver);
    await receive(process.execPath, ['receiver.mjs'], secret, mine);
  });

  it('The examples of docs/api.md work in Python', async function () {
    const refused =
      'try:\n    ask("GET", "/members/100000000000000001")\nexcept RuntimeError as refusal:\n    print(refusal)\n';
    const program = await programOf('python', refused);
    const [check = ''] = await blocksOf('webhooks.md', 'python');
    const [receiver = ''] = await blocksOf('api.md', 'python', '## Receiving events');
    if (!(await isInstalled('python3', '--version'))) return this.skip();
    const mine = `http://127.0.0.1:${await freePort()}/hook`;
    await writeFile(join(folder, 'program.py'), program);
    const printed = await play('python3', ['program.py'], { MINE: mine });
    judge(printed);
    const secret = await judgeWebhook(printed, mine);
    await writeFile(join(folder, 'is_from_rolelink.py'), check);
    await writeFile(join(folder, 'receiver.py'), receiver);
    await receive('python3', ['receiver.py'], secret, mine);
  });

  it('The examples of docs/api.md work in Luau, as far as it is Lua', async function () {
    const program = await programOf('lua', 'print(pcall(ask, "GET", "/members/100000000000000001"))');
    const shim = await readFile(join(root, 'test/examples/roblox.lua'), 'utf8');
    expect(program).to.include('https://rolelink.example').and.to.include('<server id>');
    if (!(await isInstalled('lua5.4', '-v'))) return this.skip();
    const here = program.replace('https://rolelink.example', road.url).replace('<server id>', guild.guildId);
    await writeFile(join(folder, 'program.lua'), `${shim}\n${here}`);
    const child = fileURLToPath(new URL('roblox-child.js', import.meta.url));
    judge(await play('lua5.4', ['program.lua'], { ROBLOX: `'${process.execPath}' '${child}'` }));
  });
});
