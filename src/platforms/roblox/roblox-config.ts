/**
 * Roblox's addresses and our credentials (ENV-36). Base URLs have no trailing slash; the real ones are
 * https://users.roblox.com, https://groups.roblox.com, https://apis.roblox.com and https://thumbnails.roblox.com.
 */
export interface RobloxConfig {
  usersUrl: string;
  groupsUrl: string;
  apisUrl: string;
  thumbnailsUrl: string;
  /** Open Cloud API key; without it, memberships are read person by person from the public endpoint. */
  apiKey?: string;
  /** The secret for Roblox's webhook signatures; without it, no webhook is accepted. */
  webhookSecret?: string;
  /** The OAuth app; without it, verification by OAuth is off. */
  oauth?: { clientId: string; clientSecret: string };
  /** Total time limit for one request, in milliseconds; default 10 s. */
  timeoutMs?: number;
}

export type ConfigInForce = Readonly<RobloxConfig & { timeoutMs: number }>;

const DEFAULT_TIMEOUT_MS = 10_000;

let current: ConfigInForce | undefined;

/** Configures the adapter for Roblox, once at boot. A second call starts over with empty caches and closed breakers. */
export function configureRoblox(config: RobloxConfig): void {
  current = { timeoutMs: DEFAULT_TIMEOUT_MS, ...config };
}

/** The current configuration. A call before boot has set it is a programming error. */
export function robloxConfig(): ConfigInForce {
  if (!current) throw new Error('configureRoblox() has not been called');
  return current;
}

/** State that lives as long as one configuration (connections, caches), created on first use. */
export function perConfiguration<T>(make: (config: ConfigInForce) => T): () => T {
  let held: { config: ConfigInForce; state: T } | undefined;
  return () => {
    const config = robloxConfig();
    if (held?.config !== config) held = { config, state: make(config) };
    return held.state;
  };
}
