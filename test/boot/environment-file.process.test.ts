import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';
import { noteEnvironment } from '../support/log-canaries.js';
import { removeFolder } from '../support/remove-folder.js';

const script = fileURLToPath(new URL('../../src/edges/cli/run-backup.js', import.meta.url));
const doctor = fileURLToPath(new URL('../../src/edges/cli/run-doctor.js', import.meta.url));
const rolelink = join(root, 'src/edges/cli/rolelink.cjs');

describe('The environment’s file and limits', () => {
  let folder: string;

  /** Runs a command in the folder, which has no Discord to talk to. */
  const run = (command: string, environment: Record<string, string>, ...args: string[]) => {
    const env = { DISCORD_API_URL: 'http://127.0.0.1:9/api', PORT: '9', ...environment };
    noteEnvironment(env);
    return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const options = { cwd: folder, env, timeout: 30_000 };
      execFile(process.execPath, [command, ...args], options, (error, out, err) =>
        resolve({ code: error?.code ?? 0, out, err }),
      );
    });
  };

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'rolelink-env-')));
  });
  afterEach(() => removeFolder(folder));

  // ENV-44
  it('A folder, a pipe or an unreadable file as .env is refused in one sentence', async () => {
    const path = join(folder, '.env');
    const kinds: [make: () => Promise<unknown>, words: string][] = [
      [() => mkdir(path), 'is a folder. Docker makes one for a missing file: delete it, and write the file.'],
      [async () => spawnSync('mkfifo', [path]), "isn't a file. Replace it by one."],
      [() => symlink('.env', path), "can't be read: "],
    ];
    for (const [make, words] of kinds) {
      await rm(path, { force: true, recursive: true });
      await make();
      const { code, out, err } = await run(script, {}, 'copy');
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(err)
        .to.contain(`${path} ${words}`)
        .and.to.match(/^[^\n]+\n$/);
      const found = await run(doctor, {});
      expect({ code: found.code, err: found.err }).to.deep.equal({ code: 1, err: '' });
      expect(found.out).to.contain(`✘ Environment: ${path} ${words}`);
    }
  });

  // ENV-1, ENV-42
  it('An empty variable of the environment leaves the file’s value, and a different one is named', async () => {
    await writeFile(join(folder, '.env'), 'DISCORD_TOKEN=ofthefile\nDATA_DIR=./here\nLOG_LEVEL=info\n');
    const kept = await run(doctor, { DISCORD_TOKEN: '', LOG_LEVEL: 'info' });
    expect(kept.out).to.not.contain('DISCORD_TOKEN: is missing').and.not.contain('Environment');
    expect(kept.out).to.contain('./here');
    const other = await run(doctor, { DISCORD_TOKEN: 'oftheshell' });
    expect(other.out).to.contain(
      `! Environment: DISCORD_TOKEN: the value of the environment counts, not the other one in ${join(folder, '.env')}. [variable_overridden]`,
    );
    expect(other.out).to.not.contain('oftheshell').and.not.contain('ofthefile');
    const wrong = await run(script, { DISCORD_TOKEN: '“x”' }, 'copy');
    expect(wrong.err).to.contain('not the other one in');
  });

  // ENV-47
  it('A TMPDIR that can’t be used is named as such', async () => {
    const gone = join(folder, 'gone');
    const { code, err } = await run(
      rolelink,
      { DISCORD_TOKEN: 'token', TMPDIR: gone, DATA_DIR: join(folder, 'data') },
      'start',
    );
    expect(code).to.equal(1);
    expect(err).to.equal(`${gone} (TMPDIR) isn't writable: its folder does not exist (ENOENT).\n`);
  });

  // ENV-41
  it('A process that may open too few files says so in one sentence', async function () {
    if (process.platform !== 'linux') this.skip();
    const { status, stderr } = spawnSync('sh', [
      '-c',
      'ulimit -n 40; exec "$0" "$@"',
      process.execPath,
      rolelink,
      'start',
    ]);
    expect(status).to.equal(1);
    expect(String(stderr)).to.equal(
      'Rolelink may open only 40 files. Raise the limit to 256 or more: ulimit -n 4096\n',
    );
  });
});
