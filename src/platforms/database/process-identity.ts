import { readFile } from 'node:fs/promises';

/** One process and no later one: pids are reused, so the start time is part of it where the system tells. */
export interface ProcessIdentity {
  pid: number;
  /** The machine's boot id and the clock ticks from boot to the process's start; null where there is no /proc. */
  started: string | null;
}

export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  const status = await readStatus(pid);
  return { pid, started: status?.started ?? null };
}

/** Whether exactly that process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
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
