import { Agent } from 'undici';
import { CircuitBreaker } from './circuit-breaker.js';
import { RateLimit } from './rate-limit.js';
import { perConfiguration } from './roblox-config.js';

export type RobloxHostName = 'users' | 'groups' | 'apis' | 'thumbnails';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 16;
/** The longest expected answer, a page with 100 memberships, has about 40 KB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Two failed reads in a row, with all their retries. A group is read by two requests, so one group alone is no outage. */
const BREAKER = { consecutiveFailures: 8, differentRequests: 3, coolDownMs: 10_000 };

/** Counts since boot: HTTP requests sent, retries among them, and abandoned reads. */
export interface HostCounts {
  requests: number;
  retries: number;
  failures: number;
}

export class RobloxHost {
  readonly breaker = new CircuitBreaker(BREAKER);
  readonly counts: HostCounts = { requests: 0, retries: 0, failures: 0 };
  /** Whether its last answer was a permanent refusal. */
  isClosed = false;
  readonly #limits = new Map<string, RateLimit>();
  readonly agent: Agent;

  constructor(
    readonly name: RobloxHostName,
    readonly baseUrl: string,
    /** Milliseconds for one whole request, from the connection to the last byte. */
    readonly timeoutMs: number,
  ) {
    this.agent = new Agent({
      connections: MAX_CONNECTIONS,
      connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  /** An endpoint's limit. Open Cloud counts each one separately, the older hosts all together but searches (`''`). */
  limit(endpoint: string): RateLimit {
    const limit = this.#limits.get(endpoint) ?? new RateLimit();
    this.#limits.set(endpoint, limit);
    return limit;
  }
}

const hosts = perConfiguration((config) => {
  const host = (name: RobloxHostName, baseUrl: string) => new RobloxHost(name, baseUrl, config.timeoutMs);
  return {
    users: host('users', config.usersUrl),
    groups: host('groups', config.groupsUrl),
    apis: host('apis', config.apisUrl),
    thumbnails: host('thumbnails', config.thumbnailsUrl),
  } satisfies Record<RobloxHostName, RobloxHost>;
});

/** The host with that name under the current configuration. */
export function robloxHost(name: RobloxHostName): RobloxHost {
  return hosts()[name];
}

/** Counts since boot, over all hosts and by host. */
export interface RobloxStats extends HostCounts {
  byHost: Record<RobloxHostName, HostCounts>;
  /** Hosts that failed so often that requests are refused, except for one trial every 10 s. */
  breakerOpen: RobloxHostName[];
  /** Hosts that no longer answer without credentials, by their last answer. */
  closed: RobloxHostName[];
}

export function robloxStats(): RobloxStats {
  const { users, groups, apis, thumbnails } = hosts();
  const all = [users, groups, apis, thumbnails];
  const sum = (key: keyof HostCounts) => all.reduce((total, host) => total + host.counts[key], 0);
  return {
    requests: sum('requests'),
    retries: sum('retries'),
    failures: sum('failures'),
    byHost: {
      users: { ...users.counts },
      groups: { ...groups.counts },
      apis: { ...apis.counts },
      thumbnails: { ...thumbnails.counts },
    },
    breakerOpen: all.filter((host) => host.breaker.isOpen).map((host) => host.name),
    closed: all.filter((host) => host.isClosed).map((host) => host.name),
  };
}

/** Closes all connections at shutdown, after requests in progress. */
export async function closeRoblox(): Promise<void> {
  await Promise.all(Object.values(hosts()).map((host) => host.agent.close()));
}
