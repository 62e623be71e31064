import type { RouterContext } from '@koa/router';

/** Roblox's real hosts by the base path under which the sandbox serves each. */
export const robloxHosts = {
  users: 'users.roblox.com',
  groups: 'groups.roblox.com',
  apis: 'apis.roblox.com',
  thumbnails: 'thumbnails.roblox.com',
} as const;

type RobloxHost = (typeof robloxHosts)[keyof typeof robloxHosts];

/** Whose rate limit a call to Open Cloud counts against: an API key's owner, or one OAuth authorization. */
export interface Principal {
  kind: 'apiKeyOwner' | 'oauthAuthorization';
  id: string;
}

/** What the sandbox knows about a request on its way through the pipeline. */
export interface WireState {
  host: RobloxHost;
  /** The path as the real host would see it, without the sandbox's base path. */
  realPath: string;
  principal?: Principal;
  /** The answer before a fault spoilt it: observers judge the sandbox by this one. */
  intendedBody?: unknown;
}

export type WireContext = RouterContext<WireState>;

export function isOpenCloud(state: WireState): boolean {
  return state.host === robloxHosts.apis && state.realPath.startsWith('/cloud/');
}

/** What Open Cloud has from an older host, under that one's paths and with its errors. */
export function isOlderInCloud(state: WireState): boolean {
  return state.host === robloxHosts.apis && state.realPath.startsWith('/legacy-groups/');
}

/** The limit for an API key's reads: Roblox publishes none. */
export function isKeyIntrospection(state: WireState): boolean {
  return state.host === robloxHosts.apis && state.realPath.startsWith('/api-keys/');
}

export function isOAuth(state: WireState): boolean {
  return state.host === robloxHosts.apis && state.realPath.startsWith('/oauth/');
}
