import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { hashSecret, newSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { readOneDirectly } from '../../platforms/database/direct-reads.js';
import { leftOutbox } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import { enterLog, type NewEntry } from '../audit/audit-service.js';

/** A signed-in person. `_id` is the SHA-256 of the id in the cookie, which is stored nowhere. */
export const sessionFields = z.strictObject({
  _id: z.string(),
  chatUserId: z.string(),
  username: z.string(),
  avatarUrl: z.string().nullable(),
  /** Candidates for GET /api/guilds, each checked afresh there. */
  managedGuildIds: z.array(z.string()).describe('Servers that they could manage when they signed in.'),
  /** What Discord called them then: those without the bot are known from here alone. Missing where Discord was not asked. */
  managedGuilds: z
    .array(z.strictObject({ guildId: z.string(), name: z.string(), iconUrl: z.string().nullable() }))
    .exactOptional()
    .describe('The same servers with their names at that time.'),
  startedAt: z.date(),
  expiresAt: z.date(),
});
export interface Session extends z.output<typeof sessionFields>, WithOutbox {}

/** 30 days from the last use, and at most 90 from the sign-in (AUTH-10). */
export const sessionLifeMs = 30 * dayMs;
const longestSessionMs = 90 * dayMs;
/** The end of a session moves at most this often, so that reading costs no write. */
const slideEveryMs = dayMs;

const schema = schemaOf<Session>('sessions', sessionFields);
// The sessions of a person, who is handed their data or erased.
schema.index({ chatUserId: 1 });
// The purge of ended sessions.
schema.index({ expiresAt: 1 });
// The people who could manage a large guild when they signed in: GET …/team.
schema.index({ managedGuildIds: 1 });

giveOutbox(schema);

const SessionModel = model<Session>('Session', schema);

/** A server on Discord as it was called when somebody signed in. */
export type ManagedGuild = NonNullable<Session['managedGuilds']>[number];

/** Who a session is of. */
export interface SessionProfile extends Pick<Session, 'chatUserId' | 'username' | 'avatarUrl'> {
  /** Null when Discord was not asked for them. */
  managedGuilds: ManagedGuild[] | null;
}

/**
 * Starts a session, which carries the log `entries` that tell of it. Returns the id for the cookie, which is not stored
 * and can't be read again.
 */
export async function startSession(
  { managedGuilds, ...profile }: SessionProfile,
  ...entries: NewEntry[]
): Promise<string> {
  const id = newSecret();
  const startedAt = clock.now();
  const expiresAt = endOf({ startedAt }, startedAt.getTime());
  const managedGuildIds = (managedGuilds ?? []).map(({ guildId }) => guildId);
  const known = managedGuilds === null ? {} : { managedGuilds };
  const session = { ...profile, ...known, managedGuildIds, startedAt, expiresAt };
  await SessionModel.create({ ...session, _id: hashSecret(id), outbox: entries });
  await enterLog(...entries);
  return id;
}

/** When a session ends that is used at `now`. */
function endOf({ startedAt }: Pick<Session, 'startedAt'>, now: number): Date {
  return new Date(Math.min(now + sessionLifeMs, startedAt.getTime() + longestSessionMs));
}

/**
 * The session of a cookie's id, unless it has ended, as have those of older versions, which don't say when they began.
 * `renewed`: send the cookie again.
 */
export async function findSession(id: string): Promise<{ session: Session; renewed: boolean } | null> {
  const now = clock.epochMs();
  const _id = hashSecret(id);
  const session = await readOneDirectly(SessionModel, _id, { managedGuilds: 0 });
  if (session === null || session.startedAt === undefined || session.expiresAt.getTime() <= now) return null;
  const expiresAt = endOf(session, now);
  const renewed = expiresAt.getTime() - session.expiresAt.getTime() > slideEveryMs;
  if (renewed) await SessionModel.updateOne({ _id, startedAt: session.startedAt }, { $set: { expiresAt } });
  return { session, renewed };
}

/** The guilds that the person of a session could manage when they signed in. */
export async function managedGuildIds(sessionHash: string): Promise<string[]> {
  const session = await SessionModel.findById(sessionHash).lean<Session>();
  return session?.managedGuildIds ?? [];
}

/** The servers that the person of a session could manage when they signed in, with the names of then; null: not known. */
export async function managedGuilds(sessionHash: string): Promise<ManagedGuild[] | null> {
  const session = await SessionModel.findById(sessionHash).lean<Session>();
  return session?.managedGuilds ?? null;
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

/** A session as its person sees it. The hash of its id is nobody's business. */
export const sessionView = z
  .strictObject({
    startedAt: timestamp,
    expiresAt: timestamp.describe('Moves on while the session is used.'),
    current: z.boolean().describe('The one that asks.'),
  })
  .meta({ id: 'Session' });

/** The living sessions of a signed-in person, newest first. */
export async function listSessions({ id, sessionId }: Actor): Promise<z.input<typeof sessionView>[]> {
  const found = await sessionsOf(id);
  const living = found.filter(({ startedAt, expiresAt }) => startedAt && expiresAt > clock.now());
  return living
    .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
    .map(({ _id, startedAt, expiresAt }) => ({
      startedAt: startedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      current: _id === sessionId,
    }));
}

/** Ends a session at once, by its hashed id, with the log entry that tells of it. */
export async function endSession(sessionHash: string, entry: NewEntry): Promise<void> {
  const living = { _id: sessionHash, startedAt: trusted({ $exists: true }) };
  const { modifiedCount } = await SessionModel.updateOne(living, leftOutbox(entry), { updatePipeline: true });
  if (modifiedCount > 0) await enterLog(entry);
}

/** The sessions of a person, those first that end first: a few, so they are sorted here and by no index of their own. */
export async function sessionsOf(chatUserId: string): Promise<Session[]> {
  const found = await SessionModel.find({ chatUserId }).lean<Session[]>();
  return found.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
}

/** Ends every session of a person that began until `until`. The relay removes what is left of those it has not emptied. */
export async function endSessionsOf(chatUserId: string, until: Date): Promise<void> {
  const theirs = { chatUserId, startedAt: trusted({ $lte: until }) };
  await SessionModel.deleteMany(theirs);
  await SessionModel.updateMany(theirs, leftOutbox(), { updatePipeline: true });
}

/** Removes sessions that have ended: the embedded database has no TTL indexes. */
export async function purgeSessions(now: Date): Promise<void> {
  await SessionModel.deleteMany({ expiresAt: trusted({ $lte: now }) });
}
