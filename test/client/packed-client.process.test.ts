import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';

const run = promisify(execFile);

/** An integrator's program: typed, and using each part of the package. */
const program = `
import { answerOf, createRolelinkClient, everyItem, type RolelinkEvent, RolelinkRefusal, verifyWebhook } from 'rolelink-client';

const client = createRolelinkClient({ url: process.env['ROLELINK'] ?? '', token: 'rlk_1' });
const path = { guildId: '1' };
const members = everyItem((page) =>
  client.GET('/api/guilds/{guildId}/members', { params: { path, query: { limit: 2, ...page } } }),
);
for await (const member of members) console.log(member.gameUsername);
try {
  await answerOf(client.GET('/api/guilds/{guildId}/overview', { params: { path } }));
} catch (error) {
  if (error instanceof RolelinkRefusal) console.log(error.code);
}
// @ts-expect-error There is no endpoint of this path.
const wrong = () => client.GET('/api/nothing');
const told: RolelinkEvent = verifyWebhook(
  process.env['BODY'] ?? '', JSON.parse(process.env['HEADERS'] ?? ''), process.env['SECRET'] ?? '');
if (told.event === 'member.unlinked') console.log(told.event, told.data.reason satisfies string, typeof wrong);
`;

describe('The package rolelink-client', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-client-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** Packs a built package and those it needs, as a registry would have them. Returns the names of the files. */
  async function pack(): Promise<string[]> {
    await run(process.execPath, [join(root, 'src/edges/cli/setup.cjs'), 'client']);
    const packages = ['dist/rolelink-client', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];
    await run('npm', [
      'pack',
      '--ignore-scripts',
      '--pack-destination',
      folder,
      ...packages.map((each) => join(root, each)),
    ]);
    return (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  }

  it('A fresh project installs the packed client, compiles against its types, and runs it', async () => {
    const packed = await pack();
    expect(packed).to.have.length(3);
    const manifest = { name: 'fresh', private: true, type: 'module' };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const files = packed.map((name) => `./${name}`);
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], { cwd: folder });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const own = join(folder, 'node_modules/rolelink-client');
    expect(JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))).to.include({ version });
    expect(await readdir(own)).to.include.members([
      'LICENSE',
      'README.md',
      'rolelink-client.d.ts',
      'rolelink-client.js',
    ]);

    await writeFile(join(folder, 'program.ts'), program);
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2023'];
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...strict, ...types, 'program.ts'], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env: await environment() });
    expect(stdout.trim().split('\n')).to.deep.equal([
      'one',
      'two',
      'three',
      'forbidden',
      'member.unlinked self function',
    ]);
  });

  /** Of a program that talks to a stand-in for the service, and gets one delivery. */
  async function environment(): Promise<NodeJS.ProcessEnv> {
    const server = createServer(({ url = '', headers }, response) => {
      const isMembers = url.startsWith('/api/guilds/1/members?');
      const page = url.includes('cursor=next')
        ? { data: [{ gameUsername: 'three' }], nextCursor: null }
        : { data: [{ gameUsername: 'one' }, { gameUsername: 'two' }], nextCursor: 'next' };
      const isKnown = headers.authorization === 'Bot rlk_1';
      response.writeHead(isMembers && isKnown ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isMembers && isKnown ? page : { code: 'forbidden', detail: 'No.' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    const [id, at] = ['evt_1', String(Math.floor(Date.now() / 1000))];
    const body = JSON.stringify({ id, event: 'member.unlinked', data: { reason: 'self' } });
    const signed = createHmac('sha256', Buffer.alloc(32, 1)).update(`${id}.${at}.${body}`).digest('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signed}` };
    return {
      PATH: process.env.PATH,
      ROLELINK: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      BODY: body,
      HEADERS: JSON.stringify(headers),
      SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    };
  }
});
