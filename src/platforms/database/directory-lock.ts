import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { DatabaseStartError } from '../../lib/start-error.js';

const lockContent = z.object({ pid: z.int(), started: z.string().nullable(), id: z.uuid() });

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only owner of `directory` by a lock file. A dead process's lock is taken over. @throws
 * DatabaseStartError with process and folder while another process, or this one, owns it.
 */
export function lockDirectory(directory: string): Promise<DirectoryLock> {
  return takeLock(`${directory}/lock`, directory);
}

/**
 * `link` creates the file or fails if it exists, so it is never seen half written. Only the holder of a second lock
 * replaces a dead process's lock, after rereading it. If two processes find it dead, only one gets it. The second lock
 * is taken the same way, in case its holder dies too.
 */
async function takeLock(path: string, directory: string): Promise<DirectoryLock> {
  const own = JSON.stringify({ ...(await identifyProcess(process.pid)), id: randomUUID() });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, own, { flush: true });
    let taken = false;
    while (!taken) taken = (await linkUnlessThere(draft, path)) || (await replaceIfDead(draft, path, directory));
  } finally {
    await rm(draft, { force: true });
  }
  return {
    release: async () => {
      if ((await readLock(path)) === own) await rm(path, { force: true });
    },
  };
}

/** False if the lock changed hands in the meantime, so the whole attempt should be repeated. */
async function replaceIfDead(draft: string, path: string, directory: string): Promise<boolean> {
  const found = await readLock(path);
  if (found === undefined) return false;
  await refuseIfAlive(found, path, directory);

  const second = await takeLock(`${path}.takeover`, directory);
  try {
    if ((await readLock(path)) !== found) return false;
    await rename(draft, path);
    return true;
  } finally {
    await second.release();
  }
}

async function refuseIfAlive(content: string, path: string, directory: string): Promise<void> {
  const { data: owner } = lockContent.safeParse(parseJson(content));
  if (!owner) {
    throw new DatabaseStartError(`${path} can't be read. Remove it if no Rolelink process is using ${directory}.`);
  }
  if (await isRunning(owner)) {
    throw new DatabaseStartError(
      `Another Rolelink process (pid ${owner.pid}) is using ${directory}. Stop it, or give this one another DATA_DIR.`,
    );
  }
}

async function linkUnlessThere(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readLock(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The identity of exactly one process. Pids are reused, so the start time is included if the system reports it. */
export interface ProcessIdentity {
  pid: number;
  /** The machine's boot id and the clock ticks from boot to the process's start; null without /proc. */
  started: string | null;
}

export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  const status = await readStatus(pid);
  return { pid, started: status?.started ?? null };
}

/** Whether exactly that process still runs. */
async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it runs under another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const status = await readStatus(identity.pid);
  if (!status || identity.started === null) return true;
  return status.started === identity.started && !status.isZombie;
}

async function readStatus(pid: number): Promise<{ started: string; isZombie: boolean } | undefined> {
  try {
    const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the second field, the name in parentheses, may contain blanks; field 3 is the state, 22 the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: `${bootId.trim()}/${fields[22 - 3]}`, isZombie: fields[0] === 'Z' };
  } catch {
    return undefined;
  }
}
