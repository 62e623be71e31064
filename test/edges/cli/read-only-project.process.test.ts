import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type DiscordSandbox, startDiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import { freePort } from '../../sandbox/kit/free-port.js';
import { root } from '../../structure/source-files.js';
import { eventually } from '../../support/build.js';
import { keepLine, noteEnvironment } from '../../support/log-canaries.js';
import { removeFolder } from '../../support/remove-folder.js';

/** `nobody`'s number, on Debian as elsewhere. */
const nobody = 65_534;
const parts = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.service.json', 'vite.config.ts'];
const folders = ['src', 'commands', 'listeners', 'routes', 'docs', 'dist', 'node_modules'];

/** Puts the project into a folder, without git. Files are links where the system allows that, since nothing may write. */
function copyProject(to: string): void {
  const copy = (...how: string[]) =>
    spawnSync('cp', [...how, ...[...parts, ...folders].map((name) => join(root, name)), to]);
  if (copy('-al').status !== 0) expect(copy('-a').status, 'the copy').to.equal(0);
}

// ENV-39, ENV-40
describe('A project that belongs to another user, without git', () => {
  let folder: string;
  let project: string;
  let discord: DiscordSandbox;
  let environment: Record<string, string>;

  const rolelink = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const options = { cwd: project, env: environment, uid: nobody, gid: nobody };
      execFile(process.execPath, ['src/edges/cli/rolelink.cjs', ...args], options, (error, out, err) => {
        for (const line of `${out}\n${err}`.split('\n')) if (!args.includes('token')) keepLine(line);
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
      });
    });

  before(async function () {
    // Only root can start another user's process; CI does.
    if (process.getuid?.() !== 0) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'rolelink-owned-'));
    project = join(folder, 'project');
    await chmod(folder, 0o755);
    expect(spawnSync('mkdir', ['-m', '755', project, join(folder, 'data')]).status).to.equal(0);
    await chown(join(folder, 'data'), nobody, nobody);
    copyProject(project);
    discord = await startDiscordSandbox();
    environment = {
      DISCORD_TOKEN: discord.application.botToken,
      DISCORD_API_URL: discord.apiUrl,
      PORT: String(await freePort()),
      DATA_DIR: join(folder, 'data'),
    };
    noteEnvironment(environment);
  });
  after(async () => {
    await discord?.stop();
    if (folder !== undefined) await removeFolder(folder);
  });

  it('The service starts there, and token, backup and doctor work beside it', async () => {
    const options = { cwd: project, env: environment, uid: nobody, gid: nobody };
    const service = spawn(process.execPath, ['src/edges/cli/rolelink.cjs', 'start'], options);
    let output = '';
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = once(service, 'exit');
    try {
      await eventually(
        () => {
          if (service.exitCode !== null) throw new Error(output);
          return output.includes('"msg":"ready"') ? true : undefined;
        },
        'a ready service',
        60_000,
      );
      const token = await rolelink('token', '--guild', '*', '--role', 'viewer', '--name', 'site');
      expect(token).to.include({ code: 0, err: '' });
      expect(token.out).to.not.equal('');
      const backup = join(folder, 'data', 'backup');
      expect(await rolelink('backup', backup)).to.include({ code: 0 });
      expect((await stat(backup)).uid).to.equal(nobody);
      expect((await rolelink('doctor')).out).to.contain('Database: embedded');
    } finally {
      service.kill('SIGTERM');
      await ended;
      for (const line of output.split('\n')) keepLine(line);
    }
  });

  it('A build that is older than its sources is refused in one sentence, which names the command and the owner', async () => {
    const stamp = join(project, 'dist', '.service-built');
    // Its own file: the copy shares the others with the project.
    await rm(stamp, { force: true });
    const { code, out, err } = await rolelink('doctor');
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.equal(
      `${project} can't be written by nobody, and the build there is missing or older than its sources: ` +
        `run "node src/edges/cli/setup.cjs service" in ${project} as its owner, root.\n`,
    );
  });
});
