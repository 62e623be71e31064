import type { Middleware } from 'koa';
import { CallWindows } from '../kit/call-windows.js';
import {
  isKeyIntrospection,
  isOAuth,
  isOlderInCloud,
  isOpenCloud,
  type Principal,
  type WireState,
} from './wire-context.js';
import { hostError } from './wire-errors.js';

/** Requests a minute for each Open Cloud operation, by whose limit it is (Roblox's OpenAPI, x-roblox-rate-limits). */
const cloudLimits: readonly { path: RegExp; perMinute: Readonly<Record<Principal['kind'], number>> }[] = [
  { path: /^\/cloud\/v2\/groups\/[^/]+$/, perMinute: { apiKeyOwner: 150, oauthAuthorization: 30 } },
  { path: /^\/cloud\/v2\/groups\/[^/]+\/roles$/, perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 } },
  { path: /^\/cloud\/v2\/groups\/[^/]+\/roles\/[^/]+$/, perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 } },
  { path: /^\/cloud\/v2\/groups\/[^/]+\/memberships$/, perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 } },
  {
    path: /^\/cloud\/v2\/groups\/[^/]+\/memberships\/[^/]+:assignRole$/,
    perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 },
  },
  {
    path: /^\/cloud\/v2\/groups\/[^/]+\/memberships\/[^/]+:unassignRole$/,
    perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 },
  },
  { path: /^\/cloud\/v2\/groups\/[^/]+\/join-requests$/, perMinute: { apiKeyOwner: 300, oauthAuthorization: 90 } },
  {
    path: /^\/cloud\/v2\/groups\/[^/]+\/join-requests\/[^/]+:accept$/,
    perMinute: { apiKeyOwner: 100, oauthAuthorization: 90 },
  },
  {
    path: /^\/cloud\/v2\/groups\/[^/]+\/join-requests\/[^/]+:decline$/,
    perMinute: { apiKeyOwner: 100, oauthAuthorization: 90 },
  },
  {
    path: /^\/cloud\/v2\/universes\/[^/]+:publishMessage$/,
    perMinute: { apiKeyOwner: 5000, oauthAuthorization: 5000 },
  },
  { path: /^\/cloud\/v2\/users\/[^/]+\/inventory-items$/, perMinute: { apiKeyOwner: 100, oauthAuthorization: 20 } },
  { path: /^\/cloud\/v2\/users\/[^/:]+$/, perMinute: { apiKeyOwner: 1000, oauthAuthorization: 10 } },
  {
    path: /^\/legacy-groups\/v1\/groups\/[^/]+\/audit-log$/,
    perMinute: { apiKeyOwner: 100, oauthAuthorization: 100 },
  },
  { path: /^\/cloud\/v2\/users\/[^/]+:generateThumbnail$/, perMinute: { apiKeyOwner: 1000, oauthAuthorization: 10 } },
];

/** Roblox publishes no number for the older hosts; this one is the sandbox's own and counts per host and caller. */
export const defaultLegacyPerMinute = 600;

const windowSeconds = 60;

/** Counts requests as Roblox does, returns the count in `x-ratelimit-*` headers and refuses with 429 beyond it. */
export function limitRates(legacyPerMinute: number): Middleware<WireState> {
  const windows = new CallWindows();
  return async (ctx, next) => {
    const { bucket, points, caller } = bucketOf(ctx.state, ctx.ip, legacyPerMinute);
    if (bucket === undefined) return next();
    const { over, used, secondsLeft } = windows.count(`${bucket} ${caller}`, { limit: points, seconds: windowSeconds });
    const resetSeconds = String(Math.ceil(secondsLeft));
    ctx.set({
      'x-ratelimit-limit': `${points}, ${points};w=${windowSeconds}`,
      'x-ratelimit-remaining': String(points - used),
      'x-ratelimit-reset': resetSeconds,
    });
    if (!over) return next();
    // Only Open Cloud is documented to send Retry-After; the older hosts' callers have to back off by themselves.
    const headers = isOpenCloud(ctx.state) ? { 'retry-after': resetSeconds } : {};
    throw hostError(ctx.state, 429, 'Too many requests', headers);
  };
}

interface Bucket {
  /** Undefined where nothing is limited: Roblox publishes no limit for its OAuth endpoints. */
  bucket: string | undefined;
  points: number;
  caller: string;
}

function bucketOf(state: WireState, ip: string, legacyPerMinute: number): Bucket {
  const { principal } = state;
  if (isOAuth(state) || isKeyIntrospection(state)) return { bucket: undefined, points: 0, caller: ip };
  if (!isOpenCloud(state) && !isOlderInCloud(state)) return { bucket: state.host, points: legacyPerMinute, caller: ip };
  const limit = cloudLimits.find(({ path }) => path.test(state.realPath));
  if (!limit || !principal) return { bucket: undefined, points: 0, caller: ip };
  return { bucket: `${limit.path} ${principal.kind}`, points: limit.perMinute[principal.kind], caller: principal.id };
}
