import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { hashSecret, newSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** A signed-in person. `_id` is the SHA-256 of the id in the cookie, which is stored nowhere. */
export const sessionFields = z.strictObject({
  _id: z.string(),
  chatUserId: z.string(),
  username: z.string(),
  avatarUrl: z.string().nullable(),
  /** Candidates for GET /api/guilds, each checked afresh there. */
  managedGuildIds: z.array(z.string()).describe('Servers that they could manage when they signed in.'),
  expiresAt: z.date(),
});
export type Session = z.output<typeof sessionFields>;

/** 30 days, sliding (SPEC §2). */
export const sessionLifeMs = 30 * dayMs;
/** The end of a session moves at most this often, so that reading costs no write. */
const slideEveryMs = dayMs;

const schema = schemaOf('sessions', sessionFields);
// The sessions of a person, who is handed their data or erased.
schema.index({ chatUserId: 1 });
// The purge of ended sessions.
schema.index({ expiresAt: 1 });
// The people who could manage a large guild when they signed in: GET …/team.
schema.index({ managedGuildIds: 1 });

const SessionModel = model<Session>('Session', schema);

/** Starts a session. Returns the id for the cookie, which is not stored and can't be read again. */
export async function startSession(profile: Omit<Session, '_id' | 'expiresAt'>): Promise<string> {
  const id = newSecret();
  await SessionModel.create({ ...profile, _id: hashSecret(id), expiresAt: new Date(clock.epochMs() + sessionLifeMs) });
  return id;
}

/** The session of a cookie's id, unless it has ended. `renewed`: send the cookie again. */
export async function findSession(id: string): Promise<{ session: Session; renewed: boolean } | null> {
  const now = clock.epochMs();
  const _id = hashSecret(id);
  const session = await SessionModel.findOne({ _id, expiresAt: trusted({ $gt: new Date(now) }) }).lean<Session>();
  if (session === null) return null;
  const renewed = session.expiresAt.getTime() < now + sessionLifeMs - slideEveryMs;
  if (renewed) await SessionModel.updateOne({ _id }, { $set: { expiresAt: new Date(now + sessionLifeMs) } });
  return { session, renewed };
}

/** The guilds that the person of a session could manage when they signed in. */
export async function managedGuildIds(sessionHash: string): Promise<string[]> {
  const session = await SessionModel.findById(sessionHash).lean<Session>();
  return session?.managedGuildIds ?? [];
}

/** The people, signed in now, who could manage the guild when they signed in; the latest `limit`. */
export async function signedInManagers(
  guildId: string,
  limit: number,
): Promise<{ chatUserId: string; username: string }[]> {
  return SessionModel.aggregate<{ chatUserId: string; username: string }>([
    { $match: { managedGuildIds: guildId, expiresAt: { $gt: clock.now() } } },
    { $sort: { expiresAt: -1 } },
    { $group: { _id: '$chatUserId', username: { $first: '$username' }, expiresAt: { $first: '$expiresAt' } } },
    { $sort: { expiresAt: -1 } },
    { $limit: limit },
    { $project: { _id: 0, chatUserId: '$_id', username: 1 } },
  ]);
}

/** Ends a session at once, by its hashed id. */
export async function endSession(sessionHash: string): Promise<void> {
  await SessionModel.deleteOne({ _id: sessionHash });
}

/** The sessions of a person. */
export function sessionsOf(chatUserId: string): Promise<Session[]> {
  return SessionModel.find({ chatUserId }).sort({ expiresAt: 1 }).lean<Session[]>().exec();
}

/** Ends every session of a person that began, and was last used, before `before`. */
export async function endSessionsOf(chatUserId: string, before: Date): Promise<void> {
  const expiresAt = trusted({ $lte: new Date(before.getTime() + sessionLifeMs) });
  await SessionModel.deleteMany({ chatUserId, expiresAt });
}

/** Removes sessions that have ended: the embedded database has no TTL indexes. */
export async function purgeSessions(now: Date): Promise<void> {
  await SessionModel.deleteMany({ expiresAt: trusted({ $lte: now }) });
}
