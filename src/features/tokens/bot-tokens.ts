import { LRUCache } from 'lru-cache';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import type { BotTokenKey } from '../../config/secret-keys.js';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry } from '../../core/audit/audit-service.js';
import { asPresent, type Guild, withGuildRow } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Unauthenticated } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { aggregateDirectly } from '../../platforms/database/direct-reads.js';
import { type BotToken, BotTokens, tokenRole } from './token-model.js';
import { revokeToken } from './token-revocation.js';
import { stateOfToken } from './token-standing.js';

const jose = onFirstUse(() => import('jose'));

/** A token is this prefix and a JWT, so that scanners for published secrets recognise it. */
export const tokenPrefix = 'rlk_';

const issuer = 'rolelink';
/** A token's longest life, and the default. */
export const longestLifeDays = 365;
const useNotedEveryMs = minuteMs;
const claims = z.object({ sub: z.string(), gid: z.string(), role: tokenRole, exp: z.number() });

/**
 * Token payloads with a signature checked in the last minute, so that a busy token costs no HMAC. Its row is still read
 * each time, which shows a revocation.
 */
const verified = new LRUCache<string, z.output<typeof claims> & { by: BotTokenKey | undefined }>({
  max: 10_000,
  ttl: minuteMs,
  ttlResolution: 0,
  perf: { now: () => clock.monotonicMs() },
});

/** The rights of a new token. It lives a year unless `days` is shorter. */
export type TokenWish = Pick<BotToken, 'guildId' | 'role' | 'name' | 'createdBy' | 'ranking'> & { days?: number };

export interface MintedToken {
  token: BotToken;
  text: string;
}

/**
 * Makes a bot token (`rlk_` and a JWT, HS256) and its row, which carries the entry that `entryOf` makes from it. `text`
 * is not stored and can't be read again.
 */
export async function mintBotToken(wish: TokenWish, entryOf?: (token: BotToken) => NewEntry): Promise<MintedToken> {
  const [key] = config().botTokenKeys;
  if (key === undefined) throw new Error('There is no key to sign bot tokens with.');
  const { days = longestLifeDays, ...facts } = wish;
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + days * dayMs);
  const token: BotToken = { ...facts, _id: newId('tok', createdAt), createdAt, expiresAt };
  const { SignJWT } = await jose();
  const jwt = await new SignJWT({ gid: token.guildId, role: token.role })
    .setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .setIssuer(issuer)
    .setSubject(token._id)
    .setIssuedAt(createdAt)
    .setExpirationTime(expiresAt)
    .sign(Buffer.from(key.secret));
  const entries = entryOf === undefined ? [] : [entryOf(token)];
  await BotTokens.insert({ ...token, outbox: entries });
  await enterLog(...entries);
  return { token, text: tokenPrefix + jwt };
}

/** A token's actor, and its guild as read with it. Null for the platform's own, and if the bot has left. */
export interface TokenCaller {
  actor: Actor;
  guild: Guild | null;
}

/**
 * The caller with a bot token; its prefix is optional. Throws Unauthenticated if it is forged, expired, unknown or
 * revoked. A token is revoked then if its maker has lost every role. Its role is at most its maker's current one
 * (AUTH-27). Throws ChatPlatformUnavailable if the role depends on Discord and Discord does not answer.
 */
export async function callerOfBotToken(text: string): Promise<TokenCaller> {
  const { sub, gid, role, exp } = await verifiedClaims(
    text.startsWith(tokenPrefix) ? text.slice(tokenPrefix.length) : text,
  );
  const { token, guild } = await readWithGuild(sub, gid);
  if (token === undefined || token.revokedAt !== undefined || token.role !== role) throw notValid();
  if (exp * 1_000 > token.expiresAt.getTime()) throw notValid();
  const standing = await stateOfToken(token, guild);
  if (standing === null) {
    await revokeToken(token, systemActor('token-maker-check'));
    throw notValid();
  }
  if (!isNoted(token)) await noteUse(token);
  const { _id: id, name, guildId: tokenGuildId } = token;
  return { actor: { kind: 'bot_token', id, name, platformAdmin: false, tokenGuildId, ...standing }, guild };
}

/** A token's row and its guild in one command, with which every bot request begins. */
async function readWithGuild(tokenId: string, guildId: string): Promise<{ token?: BotToken; guild: Guild | null }> {
  // Each by its id alone, for which the engine has a short way.
  const byId = [{ $match: { _id: tokenId } }, withGuildRow(guildId)];
  const rows = await aggregateDirectly<BotToken | Guild>(BotTokens.acrossGuilds, byId);
  const token = rows.find((row): row is BotToken => row._id === tokenId);
  const guild = asPresent(rows.find((row): row is Guild => row._id === guildId));
  return token?.guildId === guildId ? { token, guild } : { guild };
}

const notValid = (cause?: unknown): Unauthenticated =>
  Object.assign(
    new Unauthenticated("This token isn't valid: it was revoked, has expired, or belongs to another Rolelink."),
    { cause },
  );

async function verifiedClaims(jwt: string): Promise<z.output<typeof claims>> {
  const known = verified.get(jwt);
  const { botTokenKeys } = config();
  const isSigned = botTokenKeys.some((key) => key === known?.by);
  if (known !== undefined && isSigned && known.exp * 1_000 > clock.epochMs()) return known;
  const { jwtVerify } = await jose();
  try {
    const { payload, protectedHeader } = await jwtVerify(
      jwt,
      ({ kid }) => {
        const key = botTokenKeys.find((candidate) => candidate.kid === kid);
        if (key === undefined) throw new Unauthenticated();
        return Buffer.from(key.secret);
      },
      { algorithms: ['HS256'], issuer, requiredClaims: ['sub', 'exp', 'iat'], currentDate: clock.now() },
    );
    const checked = claims.parse(payload);
    verified.set(jwt, { ...checked, by: botTokenKeys.find(({ kid }) => kid === protectedHeader.kid) });
    return checked;
  } catch (error) {
    throw notValid(error);
  }
}

/** Whether the token's use was noted within the last minute, so that a busy token costs no write per request. */
const isNoted = ({ lastUsedAt }: BotToken): boolean =>
  lastUsedAt !== undefined && clock.epochMs() - lastUsedAt.getTime() < useNotedEveryMs;

/** Never moves back in time, also with several processes. */
async function noteUse({ _id, guildId }: BotToken): Promise<void> {
  const now = clock.now();
  const earlier = [{ lastUsedAt: trusted({ $lt: now }) }, { lastUsedAt: trusted({ $exists: false }) }];
  await BotTokens.update({ _id, guildId, $or: earlier }, { $set: { lastUsedAt: now } });
}
