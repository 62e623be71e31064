import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { identifyProcess, lockDirectory } from '../../../src/platforms/database/directory-lock.js';

describe('The directory lock', () => {
  let directory: string;
  let lock: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rolelink-lock-'));
    lock = join(directory, 'lock');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const writeLock = (owner: { pid: number; started: string | null }) =>
    writeFile(lock, JSON.stringify({ ...owner, id: '3f0a35f4-2f0b-4d44-9f0c-6f1c3f6e7a10' }));

  /** The identity of a process that has been killed. */
  async function deadProcess() {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const identity = await identifyProcess(child.pid ?? 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return identity;
  }

  it('A directory lock has one owner until it is released, and leaves nothing behind', async () => {
    const owner = await lockDirectory(directory);
    const refusal = `Another Rolelink process (pid ${process.pid}) is using ${directory}.`;
    expect(await lockDirectory(directory).catch((error) => error.message)).to.contain(refusal);
    await owner.release();
    await (await lockDirectory(directory)).release();
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('A directory lock is taken over from a process that was killed', async () => {
    await writeLock(await deadProcess());
    await lockDirectory(directory);
    expect(JSON.parse(await readFile(lock, 'utf8'))).to.include({ pid: process.pid });
  });

  it('A directory lock is taken over when its pid belongs to another process by now', async function () {
    const { pid, started } = await identifyProcess(process.ppid);
    if (started === null) this.skip();
    await writeLock({ pid, started });
    expect(await lockDirectory(directory).catch((error) => error.message)).to.contain(`(pid ${pid})`);
    await writeLock({ pid, started: 'another boot/1' });
    await lockDirectory(directory);
    expect(JSON.parse(await readFile(lock, 'utf8'))).to.include({ pid: process.pid });
  });

  it('A running process keeps the directory lock where the system does not tell when it started', async () => {
    await writeLock({ pid: process.ppid, started: null });
    expect(await lockDirectory(directory).catch((error) => error.name)).to.equal('DatabaseStartError');
  });

  it('One of many processes that find a directory lock dead at the same time takes it', async () => {
    const dead = await deadProcess();
    // Not in step, so that some find it dead and come to replace it when others have done so already.
    const contend = async () => {
      await delay(Math.random() * 4);
      return lockDirectory(directory);
    };
    for (let round = 0; round < 30; round += 1) {
      await writeLock(dead);
      const results = await Promise.allSettled(Array.from({ length: 6 }, contend));
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    }
    expect(await readdir(directory)).to.deep.equal(['lock']);
  });

  it('A directory lock is taken over even if a former taker was killed while it took over', async () => {
    const dead = await deadProcess();
    await writeLock(dead);
    await writeFile(`${lock}.takeover`, await readFile(lock));
    const owner = await lockDirectory(directory);
    await owner.release();
    expect(await readdir(directory)).to.deep.equal([]);
  });

  it('A former owner does not release a directory lock that is another process’s by now', async () => {
    const former = await lockDirectory(directory);
    await writeLock({ pid: process.ppid, started: null });
    await former.release();
    expect(await readdir(directory)).to.deep.equal(['lock']);
  });

  it('lockDirectory refuses a lock file that it can not read, and names it', async () => {
    await writeFile(lock, '12345\n');
    expect(await lockDirectory(directory).catch((error) => error.message)).to.contain(`${lock} can't be read`);
  });
});
