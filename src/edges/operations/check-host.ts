import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { databaseReady } from '../../platforms/database/connect.js';
import { freeMegabytes } from '../../platforms/database/disk-space.js';
import { type Check, type Finding, fault, ok, unknown, warning } from './finding.js';

const patienceMs = 10_000;
/** A larger clock error breaks the expiry of tokens and signatures. */
const clockToleranceMs = 30_000;
const lowDiskMb = 1_000;

/** This process's database connection. */
export const checkDatabase: Check = {
  name: 'Database',
  async run() {
    // A finding stays until the next check, so a slow database, as at startup, must not count as away.
    if (await databaseReady(patienceMs)) return [ok('answers.', 'database_ok')];
    const todo = 'Look whether the server of MONGODB_URI runs, and whether this machine may reach it.';
    return [fault('database_unreachable', 'The database does not answer.', todo)];
  },
};

export const checkDisk: Check = {
  name: 'Disk',
  async run() {
    const { dataDir } = config();
    const free = await freeMegabytes(dataDir);
    const params = { free, folder: dataDir };
    const shown = free.toLocaleString('en');
    if (free >= lowDiskMb) return [ok(`${shown} MB are free for ${dataDir}.`, 'disk_ok', params)];
    const todo = 'Make room, or move DATA_DIR to another disk. Below 100 MB the embedded database does not start.';
    return [warning('disk_low', `Only ${shown} MB are free for ${dataDir}.`, todo, params)];
  },
};

/** Compares the clock with the time in Discord's answers. */
export const checkClock: Check = {
  name: 'Clock',
  async run() {
    const answer = await fetch(`${config().discord.apiUrl}/v10/gateway`, { signal: AbortSignal.timeout(patienceMs) });
    const theirs = Date.parse(answer.headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return [unknown('Discord sent no time.', 'clock_unknown')];
    const offMs = clock.epochMs() - theirs;
    if (Math.abs(offMs) <= clockToleranceMs) return [ok('goes right.', 'clock_ok')];
    const seconds = `${offMs > 0 ? '+' : '−'}${Math.round(Math.abs(offMs) / 1000)}`;
    const says = `This machine's clock is off by ${seconds} s.`;
    return [fault('clock_off', says, 'Switch on NTP: timedatectl set-ntp true', { seconds })];
  },
};

/** PUBLIC_URL, as far as this machine can reach it. */
export const checkPublicUrl: Check = {
  name: 'PUBLIC_URL',
  async run() {
    const { publicUrl, host, port, trustProxy } = config();
    const { protocol, hostname } = new URL(publicUrl);
    const findings: Finding[] = [];
    if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
      const todo = 'Put a proxy with a certificate in front, and set PUBLIC_URL to its https address.';
      findings.push(
        warning('public_url_insecure', `${publicUrl} is not https: sessions can be stolen on the way.`, todo, {
          url: publicUrl,
        }),
      );
    }
    if (protocol === 'https:' && trustProxy === 0) {
      const says =
        'PUBLIC_URL is https, so a proxy stands in front, but TRUST_PROXY is 0: all visitors share one rate limit.';
      findings.push(warning('trust_proxy_missing', says, 'Set TRUST_PROXY to the number of proxies, mostly 1.'));
    }
    const origin = originOf({ host, port });
    if (!(await isAlive(origin)))
      return [...findings, unknown('The service does not run, so it was not called.', 'public_url_unchecked')];
    if (!(await isAlive(publicUrl))) {
      const says = `${publicUrl} does not lead to this service, seen from this machine.`;
      const todo = `Look at the name's DNS record, the firewall, and that the proxy passes on to ${new URL(origin).host}.`;
      findings.push(fault('public_url_unreachable', says, todo, { url: publicUrl, local: new URL(origin).host }));
    }
    return findings.length > 0 ? findings : [ok(`${publicUrl} leads here.`, 'public_url_ok', { url: publicUrl })];
  },
};

/** The address for reaching a service on this machine with this host and port. */
export function originOf({ host, port }: { host: string; port: number }): string {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${local}:${port}`;
}

export async function isAlive(origin: string): Promise<boolean> {
  try {
    const answer = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(patienceMs), redirect: 'error' });
    return ((await answer.json()) as { status?: unknown }).status === 'alive';
  } catch {
    return false;
  }
}
