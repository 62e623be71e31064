import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { locale } from '../../src/lib/translate.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';

// `.ci/image`: starts the image that is built, by a release's compose.yaml and its copied env.example alone, against the
// sandbox, and does with it what docs/operating.md says. The arguments are this machine's address that containers reach,
// the release's folder, and the image.

/** What the image may take. */
const mostImageMb = 300;
const withinMs = 180_000;
const megabyte = 1_000_000;

const [host = '', release = '', image = ''] = process.argv.slice(2);
const run = promisify(execFile);
const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), 'rolelink-image-'));

const compose = async (...args: string[]): Promise<string> =>
  (await run('docker-compose', ['--project-name', 'rolelink-image', ...args], { cwd: folder })).stdout.trim();
const docker = async (...args: string[]): Promise<string> => (await run('docker', args)).stdout.trim();
/** A command in the container, as operators type it. */
const rolelink = (...args: string[]): Promise<string> => compose('exec', '-T', 'rolelink', 'rolelink', ...args);

/** The release's `env.example` as it is copied, with what an operator fills in. */
async function writeDotEnv(values: Record<string, string>): Promise<void> {
  const left = { ...values };
  const lines = (await readFile(join(release, 'env.example'), 'utf8')).split('\n').map((line) => {
    const [, name = ''] = /^#?(\w+)=/.exec(line) ?? [];
    const value = left[name];
    delete left[name];
    return value === undefined ? line : `${name}=${value}`;
  });
  await writeFile(join(folder, '.env'), lines.join('\n'));
}

function must(holds: boolean, what: string): void {
  say(`  ${holds ? '✔' : '✘'} ${what}`);
  if (!holds) process.exitCode = 1;
}

/** Starts the container, and waits until Docker calls it healthy. Gives how long that and being ready took. */
async function up(url: string): Promise<{ readyMs: number; healthyMs: number }> {
  const startedAt = performance.now();
  await compose('up', '-d');
  const isReady = () =>
    fetch(`${url}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await eventually(isReady, 'ready', withinMs);
  const readyMs = performance.now() - startedAt;
  const id = await compose('ps', '-q', 'rolelink');
  const isHealthy = async () => (await docker('inspect', '-f', '{{.State.Health.Status}}', id)) === 'healthy';
  await eventually(isHealthy, 'healthy', withinMs);
  return { readyMs, healthyMs: performance.now() - startedAt };
}

/** The token's role, as a program in a folder of its own reads it with the release's package: by import, by require. */
async function rolesByProgram(url: string, token: string): Promise<string[]> {
  const cwd = join(folder, 'program');
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), '{}');
  const [archive = ''] = (await readdir(release)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--no-audit', '--no-fund', join(release, archive)], { cwd });
  const ask = `answerOf(createRolelinkClient(${JSON.stringify({ url, token })}).GET('/api/auth/me'))
    .then(({ role }) => console.log(role));`;
  const names = '{ answerOf, createRolelinkClient }';
  const forms = {
    module: `import ${names} from 'rolelink-client'; ${ask}`,
    commonjs: `const ${names} = require('rolelink-client'); ${ask}`,
  };
  const told = Object.entries(forms).map(([type, program]) =>
    run(process.execPath, [`--input-type=${type}`, '--eval', program], { cwd }),
  );
  return (await Promise.all(told)).map(({ stdout }) => stdout.trim());
}

const [discord, roblox] = await Promise.all([startDiscordSandbox({ host }), startRobloxSandbox({ host })]);
try {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  discord.addGuild({ name: 'Image', ownerId: discord.addUser({ username: 'owner' }).id });
  await cp(join(release, 'compose.yaml'), join(folder, 'compose.yaml'));
  await writeDotEnv({ ...sandboxEnvironment(discord, roblox), PORT: String(port) });

  const size = Number(await docker('image', 'inspect', '-f', '{{.Size}}', image)) / megabyte;
  must(size <= mostImageMb, `the image has ${size.toFixed(0)} MB, at most ${mostImageMb}`);
  const first = await up(url);
  must(
    true,
    `ready after ${(first.readyMs / 1_000).toFixed(1)} s, healthy after ${(first.healthyMs / 1_000).toFixed(1)} s`,
  );
  const id = await compose('ps', '-q', 'rolelink');
  must((await docker('exec', id, 'id', '-u')) === '1000', 'it runs as a user without rights');
  say(`    memory: ${await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', id)}`);

  const token = await rolelink('token', '--guild', '*', '--role', 'viewer', '--name', 'image');
  const isKnown = async () =>
    (await fetch(`${url}/api/auth/me`, { headers: { authorization: `Bot ${token}` } })).status === 200;
  must(await isKnown(), 'rolelink token makes one that works');
  const roles = await rolesByProgram(url, token);
  must(roles.join() === 'viewer,viewer', 'a fresh program asks it by the release’s package, by import and by require');
  const privacyIn = (name: string) => fetch(`${url}/privacy`, { headers: { 'accept-language': name } });
  const pages = await Promise.all(locale.options.map(privacyIn));
  must(
    pages.every(({ ok }) => ok),
    '/privacy has its text in every language',
  );
  must((await fetch(`${url}/games/rolelink.luau`)).ok, 'the module for games is there');
  const report = await rolelink('doctor').catch(({ stdout }: { stdout: string }) => stdout);
  must(report.includes('✔ Database: embedded, in /data.'), 'rolelink doctor looks at the database beside the service');
  must(
    (await rolelink('backup', '/data/backup')).includes('documents were written to /data/backup'),
    'rolelink backup',
  );

  await compose('stop');
  const exit = await docker('inspect', '-f', '{{.State.ExitCode}}', id);
  must(exit === '0', `docker compose stop ends it with ${exit}`);
  const restored = await compose('run', '--rm', '-T', 'rolelink', 'rolelink', 'restore', '/data/backup', '--replace');
  must(restored.includes('were restored'), 'rolelink restore in the stopped container’s volume');
  const again = await up(url);
  must(await isKnown(), `ready again after ${(again.readyMs / 1_000).toFixed(1)} s, and the token still works`);
  await docker('kill', id);
  await up(url);
  must(await isKnown(), 'after docker kill too');
} catch (error) {
  say(await compose('logs', '--no-color', '--tail', '30').catch(String));
  throw error;
} finally {
  await compose('down', '-v').catch(String);
  await Promise.all([discord.stop(), roblox.stop(), removeFolder(folder)]);
}
