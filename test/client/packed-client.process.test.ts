import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';

const run = promisify(execFile);

/** An integrator's program: typed, and using each package part. */
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
const told: RolelinkEvent = await verifyWebhook(
  process.env['BODY'] ?? '', JSON.parse(process.env['HEADERS'] ?? ''), process.env['SECRET'] ?? '');
if (told.event === 'member.unlinked') console.log(told.event, told.data.reason satisfies string, typeof wrong);
`;

/** One that compiles as CommonJS too. */
const tiny = `
import { createRolelinkClient, signWebhook, verifyWebhook } from 'rolelink-client';

const client = createRolelinkClient({ url: 'http://localhost' });
const secret = 'whsec_' + 'A'.repeat(32);
async function main(): Promise<void> {
  const told = await verifyWebhook('{"id":"evt_1"}', await signWebhook('{"id":"evt_1"}', secret), secret);
  const read = () => client.GET('/api/guilds/{guildId}', { params: { path: { guildId: '1' } } });
  console.log(typeof String(read), told.id);
}
void main();
`;

/**
 * Loads the CommonJS build with the web's globals alone, as on Workers and Deno, and uses each part. \`require\` gives
 * the package's own files and its dependency alone.
 */
const onTheWebAlone = `
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const vm = require('node:vm');
const web = { fetch: async (request) => Response.json({ data: String(request.url ?? request) }), AbortController, AbortSignal, Headers, Request, Response,
  TextDecoder, TextEncoder, URL, URLSearchParams, atob, btoa, clearTimeout, crypto, setTimeout };
const context = vm.createContext(web);
const loaded = new Map();
function load(file) {
  if (loaded.has(file)) return loaded.get(file).exports;
  const module = { exports: {} };
  loaded.set(file, module);
  const within = (name) => {
    if (name.startsWith('.')) return load(join(dirname(file), name));
    if (name !== 'openapi-fetch') throw new Error('It asks for ' + name);
    return load(require.resolve(name));
  };
  vm.runInContext('(function (exports, module, require) {' + readFileSync(file, 'utf8') + '\\n})', context)(module.exports, module, within);
  return module.exports;
}
const { createRolelinkClient, signWebhook, verifyWebhook } = load(require.resolve('rolelink-client'));
(async () => {
  const secret = 'whsec_' + 'A'.repeat(32);
  const { id } = await verifyWebhook('{"id":"evt_1"}', await signWebhook('{"id":"evt_1"}', secret), secret);
  const { data } = await createRolelinkClient({ url: 'http://links.example', token: 'rlk_1' }).GET('/api/info');
  console.log(id, data.data);
})();
`;

describe('The package rolelink-client', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolelink-client-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** Packs a built package and those it needs, as a registry would have them. Returns the file names. */
  async function pack(): Promise<string[]> {
    const client = join(folder, 'client');
    const env = { ...process.env, CLIENT_FOLDER: client };
    await run(process.execPath, [join(root, 'src/edges/cli/setup.cjs'), 'client'], { env });
    const packages = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name));
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, ...[client, ...packages]]);
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
    await expectPortable(own);
    await compileEverywhere();
    await writeFile(join(folder, 'web.cjs'), onTheWebAlone);
    const { stdout: onTheWeb } = await run(process.execPath, ['web.cjs'], { cwd: folder });
    expect(onTheWeb).to.equal('evt_1 http://links.example/api/info\n');

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

  /** Web Crypto and fetch alone, so that the package runs on Workers and Deno too. */
  async function expectPortable(own: string): Promise<void> {
    const files = (await readdir(own, { recursive: true })).filter((name) => name.endsWith('.js'));
    expect(files).to.include('cjs/rolelink-client.js');
    for (const name of files)
      expect(await readFile(join(own, name), 'utf8'), name).not.to.match(/\bnode:|\bBuffer\b|\bprocess\b/);
  }

  /** An integrator's program compiles by each way to find modules, and runs as CommonJS and as an ES module. */
  async function compileEverywhere(): Promise<void> {
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const ways = ['commonjs', 'node16', 'node18', 'nodenext'].flatMap((module) =>
      (['commonjs', 'module'] as const).map((type) => ({ module, type })),
    );
    for (const { module, type } of ways) {
      const place = join(folder, `${module}-in-${type}`);
      await mkdir(place);
      await writeFile(join(place, 'package.json'), JSON.stringify({ type }));
      await writeFile(join(place, 'tiny.ts'), tiny);
      const options = ['--strict', '--module', module, '--target', 'es2023', ...types];
      await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, 'tiny.ts'], {
        cwd: place,
      }).catch(({ stdout }: { stdout: string }) => expect.fail(`${module} in ${type}: ${stdout}`));
      // CommonJS is no content for a package with ES modules.
      if (module === 'commonjs' && type === 'module') continue;
      const { stdout } = await run(process.execPath, ['tiny.js'], { cwd: place });
      expect(stdout, `${module} in ${type}`).to.equal('string evt_1\n');
    }
  }

  /** For a program that talks to a stand-in for the service, and gets one delivery. */
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
