import { jwtVerify, SignJWT } from 'jose';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config.js';
import type { Actor } from '../../core/actors/actor.js';
import { teamRole } from '../../core/actors/team-roles.js';
import { clock } from '../../lib/clock.js';
import { Unauthenticated } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { type BotToken, BotTokens } from './token-model.js';
import { revokeIfMakerLostRole } from './token-revocation.js';

/** A token's text is this and a JWT, so that scanners of published secrets know what they have found. */
export const tokenPrefix = 'rlk_';

const issuer = 'rolelink';
/** How long a token lives at most, and when nothing else is said. */
export const longestLifeDays = 365;
const useNotedEveryMs = minuteMs;
const claims = z.object({ sub: z.string(), gid: z.string(), role: teamRole });

/** What a new token is to be; it lives a year unless `days` says less. */
export type TokenWish = Pick<BotToken, 'guildId' | 'role' | 'name' | 'createdBy'> & { days?: number };

/** Makes a bot token (`rlk_` and a JWT, HS256) and its row. The answer is the only time that `text` is known. */
export async function mintBotToken(wish: TokenWish): Promise<{ token: BotToken; text: string }> {
  const [key] = config().botTokenKeys;
  if (key === undefined) throw new Error('There is no key to sign bot tokens with.');
  const { days = longestLifeDays, ...facts } = wish;
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + days * dayMs);
  const token: BotToken = { ...facts, _id: newId('tok', createdAt), createdAt, expiresAt };
  const jwt = await new SignJWT({ gid: token.guildId, role: token.role })
    .setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .setIssuer(issuer)
    .setSubject(token._id)
    .setIssuedAt(createdAt)
    .setExpirationTime(expiresAt)
    .sign(Buffer.from(key.secret));
  await BotTokens.insert(token);
  return { token, text: tokenPrefix + jwt };
}

/**
 * Who a bot token speaks for; its prefix may be left out. Throws Unauthenticated for one that is forged, expired,
 * unknown or revoked, and for one whose maker does not hold its role any more.
 */
export async function actorOfBotToken(text: string): Promise<Actor> {
  const { sub, gid, role } = await verifiedClaims(text.startsWith(tokenPrefix) ? text.slice(tokenPrefix.length) : text);
  const token = await BotTokens.findOne({ _id: sub, guildId: gid });
  if (token === null || token.revokedAt !== undefined || token.role !== role) throw revoked();
  if (!isNoted(token)) {
    if (await revokeIfMakerLostRole(token)) throw revoked();
    await noteUse(token);
  }
  return { kind: 'bot_token', id: token._id, name: token.name, role, platformAdmin: false, tokenGuildId: gid };
}

const revoked = (): Unauthenticated => new Unauthenticated('The bot token has been revoked.');

async function verifiedClaims(jwt: string): Promise<z.output<typeof claims>> {
  try {
    const { payload } = await jwtVerify(
      jwt,
      ({ kid }) => {
        const key = config().botTokenKeys.find((candidate) => candidate.kid === kid);
        if (key === undefined) throw new Unauthenticated();
        return Buffer.from(key.secret);
      },
      { algorithms: ['HS256'], issuer, requiredClaims: ['sub', 'exp', 'iat'], currentDate: clock.now() },
    );
    return claims.parse(payload);
  } catch (error) {
    throw Object.assign(new Unauthenticated('The bot token is not valid.'), { cause: error });
  }
}

/** Whether a use of the token was noted within the last minute: a busy token costs no write for each request. */
const isNoted = ({ lastUsedAt }: BotToken): boolean =>
  lastUsedAt !== undefined && clock.epochMs() - lastUsedAt.getTime() < useNotedEveryMs;

/** Never back in time, whichever of several processes notes it last. */
async function noteUse({ _id, guildId }: BotToken): Promise<void> {
  const now = clock.now();
  const earlier = [{ lastUsedAt: trusted({ $lt: now }) }, { lastUsedAt: trusted({ $exists: false }) }];
  await BotTokens.update({ _id, guildId, $or: earlier }, { $set: { lastUsedAt: now } });
}
