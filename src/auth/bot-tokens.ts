import { jwtVerify, SignJWT } from 'jose';
import { model, Schema, trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../config.js';
import { Unauthenticated } from '../lib/errors.js';
import { newId } from '../lib/ids.js';
import type { Actor } from './actor.js';
import { type TeamRole, teamRole } from './team-roles.js';

/** One bot token. The token itself is never stored: only what it may do, so that it can be revoked (SPEC §2). */
export interface BotToken {
  _id: string;
  /** A guild's id, or `*` for the platform's own. */
  guildId: string;
  role: TeamRole;
  name: string;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt?: Date;
  revokedAt?: Date;
}

const schema = new Schema<BotToken>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    role: { type: String, required: true },
    name: { type: String, required: true },
    createdBy: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    lastUsedAt: Date,
    revokedAt: Date,
  },
  { collection: 'bot_tokens', versionKey: false },
);
const BotTokenModel = model<BotToken>('BotToken', schema);

const issuer = 'rolelink';
const lifeMs = 365 * 24 * 60 * 60_000;
const useNotedEveryMs = 60_000;
const claims = z.object({ sub: z.string(), gid: z.string(), role: teamRole });

/** Makes a bot token (JWT, HS256, one year) and its row. The answer is the only time that the token is known. */
export async function mintBotToken(wish: Pick<BotToken, 'guildId' | 'role' | 'name' | 'createdBy'>): Promise<string> {
  const [key] = config().botTokenKeys;
  if (key === undefined) throw new Error('There is no key to sign bot tokens with.');
  const createdAt = new Date();
  const row: BotToken = { ...wish, _id: newId('tok'), createdAt, expiresAt: new Date(createdAt.getTime() + lifeMs) };
  const token = await new SignJWT({ gid: row.guildId, role: row.role })
    .setProtectedHeader({ alg: 'HS256', kid: key.kid })
    .setIssuer(issuer)
    .setSubject(row._id)
    .setIssuedAt(createdAt)
    .setExpirationTime(row.expiresAt)
    .sign(Buffer.from(key.secret));
  await BotTokenModel.create(row);
  return token;
}

/** Who a bot token speaks for. Throws Unauthenticated for one that is forged, expired, unknown or revoked. */
export async function actorOfBotToken(token: string): Promise<Actor> {
  const { sub, gid, role } = await verifiedClaims(token);
  const row = await BotTokenModel.findById(sub).lean<BotToken>();
  if (row === null || row.revokedAt !== undefined || row.guildId !== gid || row.role !== role) {
    throw new Unauthenticated('The bot token has been revoked.');
  }
  await noteUse(row);
  return { kind: 'bot_token', id: row._id, name: row.name, role, platformAdmin: false, tokenGuildId: gid };
}

/** Revokes a token at once: its next use is refused. */
export async function revokeBotToken(tokenId: string): Promise<void> {
  await BotTokenModel.updateOne({ _id: tokenId }, { $set: { revokedAt: new Date() } });
}

async function verifiedClaims(token: string): Promise<z.output<typeof claims>> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = config().botTokenKeys.find((candidate) => candidate.kid === kid);
        if (key === undefined) throw new Unauthenticated();
        return Buffer.from(key.secret);
      },
      { algorithms: ['HS256'], issuer, requiredClaims: ['sub', 'exp', 'iat'], currentDate: new Date() },
    );
    return claims.parse(payload);
  } catch (error) {
    throw Object.assign(new Unauthenticated('The bot token is not valid.'), { cause: error });
  }
}

/** `lastUsedAt` is exact to the minute, so that a busy token does not cost a write for each request. */
async function noteUse({ _id }: BotToken): Promise<void> {
  const now = new Date();
  const stale = new Date(now.getTime() - useNotedEveryMs);
  await BotTokenModel.updateOne(
    { _id, $or: [{ lastUsedAt: trusted({ $lt: stale }) }, { lastUsedAt: trusted({ $exists: false }) }] },
    { $set: { lastUsedAt: now } },
  );
}
