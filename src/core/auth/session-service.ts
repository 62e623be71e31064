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
import { type SessionDevice, sessionDevice } from './session-device.js';

/** A signed-in person. `_id` is the cookie id's SHA-256, which is never stored. */
export const sessionFields = z.strictObject({
  _id: z.string(),
  chatUserId: z.string(),
  username: z.string(),
  avatarUrl: z.string().nullable(),
  /** Candidates for GET /api/guilds, each checked again there. */
  managedGuildIds: z.array(z.string()).describe('Servers that they could manage when they signed in.'),
  /** Their names at sign-in: the only source for servers without the bot. Missing if Discord was not asked. */
  managedGuilds: z
    .array(z.strictObject({ guildId: z.string(), name: z.string(), iconUrl: z.string().nullable() }))
    .exactOptional()
    .describe('The same servers with their names at that time.'),
  device: sessionDevice.exactOptional().describe('Their browser and system at sign-in.'),
  startedAt: z.date(),
  lastUsedAt: z.date().exactOptional().describe('Exact to the day.'),
  expiresAt: z.date(),
});
export interface Session extends z.output<typeof sessionFields>, WithOutbox {}

/** 30 days from the last use, and at most 90 from sign-in (AUTH-10). */
export const sessionLifeMs = 30 * dayMs;
const longestSessionMs = 90 * dayMs;
/** Minimum time between a session's extensions, so that most reads cost no write. */
const slideEveryMs = dayMs;

const schema = schemaOf<Session>('sessions', sessionFields);
// A person's sessions, for data export and erasure.
schema.index({ chatUserId: 1 });
// The purge for expired sessions.
schema.index({ expiresAt: 1 });
// The people that could manage a large guild at sign-in: GET …/team.
schema.index({ managedGuildIds: 1 });

giveOutbox(schema);

const SessionModel = model<Session>('Session', schema);

export type ManagedGuild = NonNullable<Session['managedGuilds']>[number];

export interface SessionProfile extends Pick<Session, 'chatUserId' | 'username' | 'avatarUrl'> {
  /** Null if Discord was not asked for them. */
  managedGuilds: ManagedGuild[] | null;
  device?: SessionDevice;
}

/**
 * Starts a session with its log `entries`. Returns the id for the cookie, which is not stored and can't be read again.
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
  const session = { ...profile, ...known, managedGuildIds, startedAt, lastUsedAt: startedAt, expiresAt };
  await SessionModel.create({ ...session, _id: hashSecret(id), outbox: entries });
  await enterLog(...entries);
  return id;
}

function endOf({ startedAt }: Pick<Session, 'startedAt'>, now: number): Date {
  return new Date(Math.min(now + sessionLifeMs, startedAt.getTime() + longestSessionMs));
}

/**
 * The session for a cookie's id, unless it has expired. Older versions' sessions have no start date and count as
 * expired. `renewed`: send the cookie again.
 */
export async function findSession(id: string): Promise<{ session: Session; renewed: boolean } | null> {
  const now = clock.epochMs();
  const _id = hashSecret(id);
  const session = await readOneDirectly(SessionModel, _id, { managedGuilds: 0 });
  if (session === null || session.startedAt === undefined || session.expiresAt.getTime() <= now) return null;
  const expiresAt = endOf(session, now);
  const renewed = expiresAt.getTime() - session.expiresAt.getTime() > slideEveryMs;
  const isUseNoted = now - (session.lastUsedAt ?? session.startedAt).getTime() <= slideEveryMs;
  if (renewed || !isUseNoted) {
    const used = { expiresAt, lastUsedAt: new Date(now) };
    await SessionModel.updateOne({ _id, startedAt: session.startedAt }, { $set: used });
  }
  return { session, renewed };
}

export async function managedGuildIds(sessionHash: string): Promise<string[]> {
  const session = await SessionModel.findById(sessionHash).lean<Session>();
  return session?.managedGuildIds ?? [];
}

/** The servers that the session's person could manage at sign-in, with their names then; null if unknown. */
export async function managedGuilds(sessionHash: string): Promise<ManagedGuild[] | null> {
  const session = await SessionModel.findById(sessionHash).lean<Session>();
  return session?.managedGuilds ?? null;
}

/** The currently signed-in people that could manage the guild at sign-in; the latest `limit`. */
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

/** A session as shown to its person. Its id is made from the stored hash, so that neither is the other. */
export const sessionView = z
  .strictObject({
    sessionId: z.string(),
    device: sessionDevice.nullable().describe('Null for a session of an older version.'),
    startedAt: timestamp,
    lastUsedAt: timestamp.describe('Exact to the day.'),
    expiresAt: timestamp.describe('Moves on while the session is used.'),
    current: z.boolean().describe('The one that asks.'),
  })
  .meta({ id: 'Session' });

export async function listSessions({ id, sessionId }: Actor): Promise<z.input<typeof sessionView>[]> {
  const found = await sessionsOf(id);
  const living = found.filter(({ startedAt, expiresAt }) => startedAt && expiresAt > clock.now());
  return living
    .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime())
    .map(({ _id, device, startedAt, lastUsedAt, expiresAt }) => ({
      sessionId: shownId(_id),
      device: device ?? null,
      startedAt: startedAt.toISOString(),
      lastUsedAt: (lastUsedAt ?? startedAt).toISOString(),
      expiresAt: expiresAt.toISOString(),
      current: _id === sessionId,
    }));
}

const shownId = (sessionHash: string): string => `ses_${hashSecret(sessionHash).slice(0, 24)}`;

/** The hash of this person's living session by the id that they are shown; null if there is none. */
export async function findOwnSession({ id }: Actor, sessionId: string): Promise<string | null> {
  const found = (await sessionsOf(id)).find(({ _id }) => shownId(_id) === sessionId);
  return found?._id ?? null;
}

/** Ends a session immediately by its hashed id, and logs it. */
export async function endSession(sessionHash: string, entry: NewEntry): Promise<void> {
  const living = { _id: sessionHash, startedAt: trusted({ $exists: true }) };
  const { modifiedCount } = await SessionModel.updateOne(living, leftOutbox(entry), { updatePipeline: true });
  if (modifiedCount > 0) await enterLog(entry);
}

/** A person's sessions, earliest expiry first. There are few, so they are sorted in memory without an index. */
export async function sessionsOf(chatUserId: string): Promise<Session[]> {
  const found = await SessionModel.find({ chatUserId }).lean<Session[]>();
  return found.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
}

/** Ends a person's sessions that began before or at `until`. The relay removes those that still have entries to log. */
export async function endSessionsOf(chatUserId: string, until: Date): Promise<void> {
  const theirs = { chatUserId, startedAt: trusted({ $lte: until }) };
  await SessionModel.deleteMany(theirs);
  await SessionModel.updateMany(theirs, leftOutbox(), { updatePipeline: true });
}

export async function purgeSessions(now: Date): Promise<void> {
  await SessionModel.deleteMany({ expiresAt: trusted({ $lte: now }) });
}
