import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Config, loadConfig } from '../../src/config/config.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { root } from '../structure/source-files.js';
import { removeFolder } from '../support/remove-folder.js';
import { endProcesses, startProcess } from './service-process.js';

type Environment = Record<string, string>;

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().optional(),
      environment: z.record(z.string(), z.string()).optional(),
      env_file: z.string().optional(),
      profiles: z.array(z.string()).optional(),
      entrypoint: z.array(z.string()).optional(),
    }),
  ),
});

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** `.env.example` with what the operator has filled in. */
const dotEnv = (filledIn: Environment): Environment => ({
  ...(parseEnv(read('.env.example')) as Environment),
  ...filledIn,
});

/** Values that the image sets. */
function imageEnvironment(): Environment {
  const lines =
    read('Dockerfile')
      .split('FROM ')
      .at(-1)
      ?.matchAll(/^ENV (.+)$/gm) ?? [];
  return Object.fromEntries([...lines].flatMap(([, line = '']) => line.split(' ').map((pair) => pair.split('='))));
}

/** A compose file's services, with `.env`'s variables put in as compose does. */
function servicesOf(path: string, env: Environment) {
  const text = read(path).replaceAll(/(?<!\$)\$\{(\w+)(?::?([-?])([^}]*))?\}/g, (_all, name, kind, other) => {
    return env[name] || (kind === '-' ? other : '');
  });
  return composeFile.parse(parse(text, { merge: true })).services;
}

/** The environment that a compose file's service starts with: the image's, then `.env`, then its own. */
function effectiveEnvironment(path: string, service: string, filledIn: Environment): Environment {
  const env = dotEnv(filledIn);
  const { environment, env_file: file } = servicesOf(path, env)[service] ?? {};
  expect(file).to.equal('.env');
  return { ...imageEnvironment(), ...env, ...environment };
}

describe('A documented start', () => {
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let dataDir: string;
  let filledIn: Environment;

  before(async () => {
    discord = await startDiscordSandbox();
    roblox = await startRobloxSandbox();
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-compose-'));
    filledIn = { ...sandboxEnvironment(discord, roblox), PORT: String(await freePort()) };
  });
  after(async () => {
    await endProcesses();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  });

  const configOf = (path: string, service: string, more: Environment = {}): Config =>
    loadConfig(effectiveEnvironment(path, service, { ...filledIn, ...more }));

  // ENV-5
  it('The service is ready in the container of compose.yaml, with .env.example as it is copied', async () => {
    const environment = effectiveEnvironment('compose.yaml', 'rolelink', filledIn);
    expect(environment).to.include({ HOST: '0.0.0.0', DATA_DIR: '/data', SHARDS: '', MONGODB_URI: '' });
    const service = startProcess({ ...environment, DATA_DIR: dataDir });
    await service.logged('ready');
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    service.signal('SIGTERM');
    expect(await service.ended).to.equal(0);
    expect(service.errors()).to.equal('');
  });

  it('The service treats an empty value of .env as a missing one', () => {
    const { HOST: _host, ...left } = effectiveEnvironment('compose.yaml', 'rolelink', filledIn);
    const emptied = { ...left, HOST: '', DATA_DIR: '', MONGODB_URI: '', SHARDS: '', SECRETS_KEY: ' ' };
    expect(loadConfig(emptied)).to.deep.include({ host: '127.0.0.1', dataDir: './data', shards: undefined });
  });

  it('compose.yaml starts the server of the profile mongo only if .env asks for it', () => {
    const services = servicesOf('compose.yaml', {});
    expect(Object.keys(services).filter((name) => services[name]?.profiles === undefined)).to.deep.equal(['rolelink']);
    const uri = 'mongodb://rolelink:pass@database:27017/rolelink?authSource=admin';
    expect(configOf('compose.yaml', 'rolelink', { MONGODB_URI: uri }).mongodbUri).to.equal(uri);
    const { database } = servicesOf('compose.yaml', { MONGODB_PASSWORD: 'pass' });
    expect(database?.environment).to.include({ MONGO_INITDB_ROOT_PASSWORD: 'pass' });
  });

  it('The server of the profile mongo refuses an empty password before it starts', () => {
    const { database } = servicesOf('compose.yaml', {});
    const [shell = '', ...args] = (database?.entrypoint ?? []).map((word) => word.replaceAll('$$', '$'));
    for (const MONGO_INITDB_ROOT_PASSWORD of ['', undefined]) {
      const { status, stderr } = spawnSync(shell, [...args, 'mongod'], {
        env: { PATH: process.env.PATH, MONGO_INITDB_ROOT_PASSWORD },
      });
      expect([status, String(stderr)]).to.deep.equal([1, 'Set MONGODB_PASSWORD in .env first.\n']);
    }
  });

  it('compose.shards.yaml gives each process its own shards, and the same server and keys', () => {
    const shared = {
      MONGODB_PASSWORD: 'pass',
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      BOT_TOKEN_KEYS: `k:${'s'.repeat(40)}`,
    };
    const file = 'docs/deploy/compose.shards.yaml';
    const [first, second] = ['rolelink-1', 'rolelink-2'].map((name) => configOf(file, name, shared));
    expect(first?.shards).to.deep.equal({ first: 0, last: 1, total: 4 });
    expect(second?.shards).to.deep.equal({ first: 2, last: 3, total: 4 });
    expect({ ...first, shards: 0 }).to.deep.equal({ ...second, shards: 0 });
    expect(first?.mongodbUri).to.contain('rolelink:pass@database-1,').and.contain('replicaSet=rolelink');
  });

  it('The compose files and the Dockerfile use images of a fixed version', () => {
    const files = ['compose.yaml', 'docs/deploy/compose.shards.yaml'];
    const pulled = files.flatMap((path) => Object.values(servicesOf(path, {})).map(({ image }) => image));
    for (const image of pulled) expect(image).to.match(/^(rolelink|mongo:\d+\.\d+\.\d+)$/);
    expect(read('Dockerfile')).to.match(/^FROM node:\d+\.\d+\.\d+-trixie-slim AS build$/m);
  });
});
