import { join } from 'node:path';
import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { isLocalAddress } from '../../lib/local-address.js';
import { databaseReady } from '../../platforms/database/connect.js';
import { freeMegabytes, neededMegabytes } from '../../platforms/database/disk-space.js';
import { lastingGap } from '../../platforms/discord/shard-rows.js';
import { messageFindings } from './check-game-messages.js';
import { unattachedFindings } from './check-ranking.js';
import { shardFaults } from './check-shards.js';
import { type Check, type Finding, fault, ok, unknown, warning } from './finding.js';

const patienceMs = 10_000;
/** A larger clock error breaks token and signature expiry. */
const clockToleranceMs = 30_000;
const lowDiskMb = 1_000;

export const checkDatabase: Check = {
  name: 'Database',
  async run() {
    // A finding stays until the next check, so a slow database, as at startup, must not count as away.
    if (await databaseReady(patienceMs)) {
      const stored = [...(await unattachedFindings()), ...(await messageFindings())];
      return [ok('responds.', 'database_ok'), ...shardFaults(lastingGap()), ...stored];
    }
    const todo = 'Check that the MONGODB_URI server is running and that this machine can reach it.';
    return [fault('database_unreachable', "The database isn't responding.", todo)];
  },
};

export const checkDisk: Check = {
  name: 'Disk',
  async run() {
    const { dataDir } = config();
    const free = await freeMegabytes(dataDir);
    const params = { free, folder: dataDir };
    const shown = free.toLocaleString('en');
    if (free >= lowDiskMb) return [ok(`${shown} MB free for ${dataDir}.`, 'disk_ok', params)];
    const needed = neededMegabytes(join(dataDir, 'database'));
    const todo = `Free up space, or move DATA_DIR to another disk. Below ${needed} MB, the embedded database doesn't start.`;
    return [warning('disk_low', `Only ${shown} MB free for ${dataDir}.`, todo, params)];
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
    if (Math.abs(offMs) <= clockToleranceMs) return [ok('is correct.', 'clock_ok')];
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
    const { protocol } = new URL(publicUrl);
    const findings: Finding[] = [];
    if (protocol === 'http:' && !isLocalAddress(publicUrl)) {
      const todo = 'Put a proxy with a certificate in front, and set PUBLIC_URL to its https address.';
      findings.push(
        warning('public_url_insecure', `${publicUrl} isn't https, so sessions can be stolen in transit.`, todo, {
          url: publicUrl,
        }),
      );
    }
    if (protocol === 'https:' && trustProxy === 0) {
      const says =
        'PUBLIC_URL is https, so there is a proxy in front, but TRUST_PROXY is 0: all visitors share one rate limit.';
      findings.push(warning('trust_proxy_missing', says, 'Set TRUST_PROXY to the number of proxies, usually 1.'));
    }
    const origin = originOf({ host, port });
    if (!(await isAlive(origin)))
      return [...findings, unknown("The service isn't running, so it wasn't called.", 'public_url_unchecked')];
    if (!(await isAlive(publicUrl))) {
      const says = `From this machine, ${publicUrl} doesn't lead to this service.`;
      const todo = `Check the name's DNS record and the firewall, and that the proxy forwards to ${new URL(origin).host}.`;
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
