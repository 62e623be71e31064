import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findRunningEngine } from '../../../src/platforms/database/engine-address.js';
import { currentSystem, needsPatch } from '../../../src/platforms/database/engine-binaries.js';
import { eventually } from '../../support/build.js';
import { startChild } from '../../support/child-process.js';
import { removeFolder } from '../../support/remove-folder.js';

/** Another process, which can be killed. */
const openIn = (dataDir: string) => startChild('platforms/database/database-child.js', dataDir);

describe('The embedded engine', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rolelink-engine-'));
  });
  afterEach(() => removeFolder(dataDir));

  // ENV-26
  it('The embedded engine keeps every acknowledged write when the process is killed, and opens again', async () => {
    const killed = openIn(dataDir);
    await killed.report('open');
    // With w: 'majority' the engine loses acknowledged writes, though not at every kill.
    killed.send('concern');
    expect(JSON.parse(await killed.report('concern'))).to.include({ w: 1, journal: true });
    killed.send('write');
    await killed.report('written 200');
    await killed.kill();
    const acknowledged = killed.reports.filter((report) => report.startsWith('written')).length;

    const next = openIn(dataDir);
    await next.report('open');
    next.send('count');
    const stored = Number(await next.report('count'));
    next.send('close');
    await next.report('closed');
    // The last write may have been done and not yet reported.
    expect(stored).to.be.within(acknowledged, acknowledged + 1);
  });

  it('The embedded engine refuses a second process in one sentence, and lets one in when the first has closed', async () => {
    const first = openIn(dataDir);
    await first.report('open');
    const refusal =
      `DatabaseStartError: Another process, perhaps in another container, is using ${dataDir}/database: ` +
      'stop it, or choose another DATA_DIR.';
    expect(await openIn(dataDir).report('refused')).to.equal(refusal);
    // A command line run during the first process still finds its engine.
    expect(await findRunningEngine(join(dataDir, 'database'))).to.match(/^mongodb:/);
    first.send('ping');
    expect(await first.report('ready')).to.contain('"ready":true');
    first.send('close');
    await first.ended();
    expect(await findRunningEngine(join(dataDir, 'database'))).to.equal(undefined);

    const third = openIn(dataDir);
    await third.report('open');
    await third.kill();
  });

  it('One of several processes that open an embedded database at the same time has it, and the others are refused', async () => {
    const children = [openIn(dataDir), openIn(dataDir), openIn(dataDir)];
    const reports = await Promise.all(
      children.map((child) => Promise.race([child.report('open'), child.report('refused')])),
    );
    expect(
      reports.filter((report) => report.startsWith('DatabaseStartError')),
      reports.join(),
    ).to.have.lengthOf(2);
    await Promise.all(children.map((child) => child.kill()));
  });

  it('The embedded engine answers where plans compete, also after it was opened again at the same address', async () => {
    const child = openIn(dataDir);
    await child.report('open');
    child.send('compete');
    expect(await child.report('found')).to.equal('[]');
    const processes = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const engine = processes
      .map((line) => line.trim().split(/\s+/).map(Number))
      .find(([, parent]) => parent === child.pid);
    process.kill(engine?.[0] ?? 0, 'SIGKILL');
    const isReady = () => {
      child.send('ping');
      return child.reports.at(-1)?.includes('"ready":true');
    };
    await eventually(isReady, 'the engine');
    child.reports.splice(0);
    child.send('compete');
    expect(await child.report('found')).to.equal('[]');
    await child.kill();
  });

  it('The embedded engine explains that its files are damaged, and how to restore a backup', async () => {
    const first = openIn(dataDir);
    await first.report('open');
    first.send('close');
    await first.ended();
    await writeFile(join(dataDir, 'database', 'data', 'WiredTiger.turtle'), 'damaged');
    expect(await openIn(dataDir).report('refused')).to.match(/its files are damaged .* rolelink restore FILE\.$/);
  });

  it('A start passes on the embedded engine’s message when its folder can not be used', async () => {
    await mkdir(join(dataDir, 'database'));
    await writeFile(join(dataDir, 'database', 'data'), 'a file where the folder should be');
    expect(await openIn(dataDir).report('refused')).to.match(/can't be opened: .*Not a directory/);
  });

  it('The embedded engine patches its binaries once, and removes those of other versions', async function () {
    if (!needsPatch(currentSystem())) this.skip();
    await mkdir(join(dataDir, 'database', 'engine-0.0.1-old'), { recursive: true });
    const patchedAt = async () => {
      const child = openIn(dataDir);
      await child.report('open');
      await child.kill();
      const [cache = '', ...others] = (await readdir(join(dataDir, 'database'))).filter((name) =>
        name.startsWith('engine-'),
      );
      expect(others).to.deep.equal([]);
      return (await stat(join(dataDir, 'database', cache))).birthtimeMs;
    };
    const first = await patchedAt();
    expect(await patchedAt()).to.equal(first);
  });
});

describe('System requirements of the embedded engine', () => {
  const linux = { platform: 'linux', arch: 'x64' };

  it('The embedded engine takes its binaries as they are from glibc 2.38 on, and patched on 2.36 and 2.37', () => {
    expect(needsPatch({ ...linux, glibc: '2.38' })).to.equal(false);
    expect(needsPatch({ ...linux, glibc: '2.41' })).to.equal(false);
    expect(needsPatch({ ...linux, arch: 'arm64', glibc: '2.37' })).to.equal(true);
    expect(needsPatch({ ...linux, glibc: '2.36' })).to.equal(true);
    expect(needsPatch({ platform: 'darwin', arch: 'arm64', glibc: undefined })).to.equal(false);
  });

  for (const [system, reason] of [
    [{ ...linux, glibc: '2.35' }, 'this system has 2.35'],
    [{ ...linux, glibc: undefined }, 'needs the GNU C library'],
    [{ platform: 'win32', arch: 'x64', glibc: undefined }, 'does not exist for win32 on x64'],
    [{ platform: 'darwin', arch: 'x64', glibc: undefined }, 'does not exist for darwin on x64'],
    [{ ...linux, arch: 'riscv64', glibc: '2.41' }, 'does not exist for linux on riscv64'],
  ] as const) {
    it(`The embedded engine refuses ${system.platform} ${system.arch} with glibc ${system.glibc}, and names the ways out`, () => {
      expect(() => needsPatch(system))
        .to.throw(reason)
        .with.property('message')
        .that.contains('MONGODB_URI')
        .and.contains('docker compose');
    });
  }
});
