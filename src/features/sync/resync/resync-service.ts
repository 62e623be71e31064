import { trusted } from 'mongoose';
import { guildSuspended } from '../../../core/access/guild-access.js';
import { type Actor, systemActor } from '../../../core/actors/actor.js';
import { holds } from '../../../core/actors/team-roles.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import type { Page, PageQuery } from '../../../lib/cursor.js';
import { Conflict, Forbidden, NotFound } from '../../../lib/errors.js';
import { dayMs } from '../../../lib/time.js';
import { isDuplicateKey } from '../../../platforms/database/duplicate-key.js';
import { push } from '../../../platforms/events/outbox.js';
import { Plans, type ResyncError, resyncState, type StoredPlan } from '../plan/plan-model.js';
import { draftResync, kindOf, type ResyncWish } from './resync-draft.js';
import { endAs, entryOf, entryOfResync } from './resync-ending.js';
import { wakeResync, wakeWaiting } from './resync-job.js';
import { clearChanges, enqueueSince } from './switch-making.js';

/**
 * Starts a guild's resync. A guild has one whole and one partial resync at a time. An unfinished whole one, or one with
 * the same scope, is returned instead with `isNew` false. If it waits for a platform, it is tried again immediately.
 * `beforeNew` runs before a new one is made, and its errors are thrown. Throws Forbidden `guild_suspended`, Conflict
 * `preview_applied`.
 */
export async function startResync(
  guild: Guild,
  actor: Actor,
  wish: ResyncWish = {},
  beforeNew: BeforeNew = async () => async () => undefined,
): Promise<{ job: StoredPlan; isNew: boolean }> {
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const running = await openResync(guild._id, kindOf(wish));
  if (running !== null) {
    // Automatic starts, for example a reconciliation, are no reason to try again.
    if (running.waiting !== undefined && actor.kind !== 'system') await wakeWaiting(running);
    return { job: running, isNew: false };
  }
  const unlessNew = await beforeNew();
  let isNew = false;
  try {
    const job = draftResync(guild, actor, wish);
    const entries = job.quiet === undefined ? [entryOf(job, actor, 'resync.started')] : [];
    const other = await storeUnlessOther({ ...job, outbox: entries }, wish);
    if (other !== null) return { job: other, isNew };
    isNew = true;
    await enterLog(...entries);
    wakeResync(job._id);
    return { job, isNew };
  } finally {
    if (!isNew) await unlessNew();
  }
}

/** Runs before a resync is made. The returned function runs if another one came first, or if it is refused. */
export type BeforeNew = () => Promise<() => Promise<void>>;

/** Stores a resync and returns null, or returns the unfinished one that came first. */
async function storeUnlessOther(job: StoredPlan, { preview }: ResyncWish): Promise<StoredPlan | null> {
  for (;;) {
    try {
      if (preview === undefined) await Plans.insert(job);
      else await applyShown(job);
      return null;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const running = await openResync(job.guildId, job.kind);
    if (running !== null) return running;
  }
}

/**
 * Makes a preview a resync. One that was applied before, with any result, is refused: a new preview would now show
 * other changes (RESYNC-22). An answer that comes in the meantime does not belong to it.
 */
async function applyShown({
  _id,
  guildId,
  open,
  state,
  actor,
  goesLive,
  createdAt,
  outbox,
}: StoredPlan): Promise<void> {
  const begun = { open, state, actor, createdAt, outbox, ...(goesLive && { goesLive }) };
  const $unset = { askedBy: 1, expiresAt: 1, rulesKey: 1 } as const;
  if ((await Plans.update({ _id, guildId, state: 'shown' }, { $set: begun, $unset })) !== null) return;
  throw new Conflict('preview_applied', `This preview has already been applied (${_id}). Create a new one.`);
}

/** A guild's unfinished resync, or null. A whole one goes first; the kind `whole` allows no other. */
export async function openResync(guildId: string, kind?: StoredPlan['kind']): Promise<StoredPlan | null> {
  const kinds = kind === 'whole' ? [kind] : (['whole', 'part'] as const);
  const [first] = await Plans.find(
    { guildId, open: true, kind: trusted({ $in: [...kinds] }) },
    { sort: { kind: -1 }, limit: 1, hint: { open: 1, guildId: 1, kind: 1 } },
  );
  return first ?? null;
}

/** Plans that are or were applied, by rules or as shown. */
const resyncs = {
  kind: trusted({ $in: ['whole' as const, 'part' as const] }),
  state: trusted({ $in: resyncState.options }),
};

/** The guild's resync. Throws NotFound `resync_not_found`. */
export async function readResync(guild: Pick<Guild, '_id'>, jobId: string): Promise<StoredPlan> {
  const job = await Plans.findOne({ _id: jobId, guildId: guild._id, ...resyncs });
  if (job === null) throw new NotFound('resync_not_found', 'There is no such resync in this server.');
  return job;
}

/** A page with a guild's resyncs that are unfinished or finished within 30 days, newest first. */
export function listResyncs(guildId: string, query: PageQuery): Promise<Page<StoredPlan>> {
  return Plans.page({ guildId, ...resyncs }, query, {
    ...{ field: '_id', direction: -1, hint: { guildId: 1, _id: -1 } },
  });
}

/** A guild's latest resync, finished or not; null if there was none within a month. */
export async function latestResync(guildId: string): Promise<StoredPlan | null> {
  const [latest = null] = await latestResyncs({ guildId }, 1);
  return latest;
}

/** A guild's latest two resyncs of all members within a month, finished or not, the latest first. */
export const latestWholeResyncs = (guildId: string): Promise<StoredPlan[]> =>
  latestResyncs({ guildId, kind: 'whole' }, 2);

const latestResyncs = (of: { guildId: string; kind?: 'whole' }, limit: number): Promise<StoredPlan[]> =>
  Plans.find({ ...resyncs, ...of }, { sort: { createdAt: -1 }, limit, hint: { guildId: 1, createdAt: -1 } });

/** All guilds' resyncs: unfinished ones, and those finished within a day, by result. */
export async function countResyncs(now: Date) {
  const since = trusted({ $gt: new Date(now.getTime() - dayMs) });
  const finished = (state: StoredPlan['state']) =>
    Plans.acrossGuilds.countDocuments({ state, finishedAt: since }).exec();
  const [open, completed24h, failed24h, cancelled24h] = await Promise.all([
    // One a guild at most, and few at a time.
    Plans.acrossGuilds
      .find({ open: true, ...resyncs }, { state: 1, waiting: 1, awaitingConfirmation: 1 })
      .lean<StoredPlan[]>(),
    finished('completed'),
    finished('failed'),
    finished('cancelled'),
  ]);
  const held = open.filter(({ awaitingConfirmation }) => awaitingConfirmation !== undefined);
  const waiting = open.filter((job) => job.waiting !== undefined && !held.includes(job));
  const queued = open.filter((job) => job.state === 'queued');
  return {
    queued: queued.length,
    running: open.length - queued.length - held.length - waiting.length,
    waiting: waiting.length,
    awaitingConfirmation: held.length,
    completed24h,
    failed24h,
    cancelled24h,
  };
}

/**
 * Cancels a resync: its worker stops after the current page or member, and completed changes stay. Repeating it changes
 * nothing. Throws NotFound `resync_not_found`, Conflict `resync_finished`.
 */
export async function cancelResync(guild: Pick<Guild, '_id'>, actor: Actor, jobId: string): Promise<StoredPlan> {
  const job = await readResync(guild, jobId);
  const entry = entryOf(job, actor, 'resync.cancelled');
  if (job.open === true) await enqueueSince(job);
  const cancelled = await Plans.update(
    { _id: jobId, guildId: guild._id, open: true },
    { ...endAs('cancelled', clock.now()), ...push(entry) },
  );
  if (cancelled === null) {
    const ended = await readResync(guild, jobId);
    if (ended.state === 'cancelled') return ended;
    throw new Conflict('resync_finished', 'This resync has already finished.');
  }
  await enterLog(entry);
  await clearChanges(cancelled);
  return cancelled;
}

/** Cancels every unfinished resync of a guild, including those that wait for a platform or a confirmation. */
export async function cancelOpenResyncs(guildId: string, error: ResyncError): Promise<void> {
  for (const { _id, quiet } of await Plans.find({ guildId, open: true, ...resyncs })) {
    const entry = entryOfResync({ _id, guildId }, systemActor('resync'), 'resync.cancelled', changesOf(error));
    const entries = quiet === undefined ? [entry] : [];
    const ending = { ...endAs('cancelled', clock.now(), error), ...push(...entries) };
    const ended = await Plans.update({ _id, guildId, open: true }, ending);
    if (ended === null) continue;
    await enterLog(...entries);
    await clearChanges(ended);
  }
}

const changesOf = ({ code }: ResyncError) => ({ error: { from: null, to: code } });

/**
 * Releases a resync that the removal limit holds, for the losses shown. It is planned again from current data, and held
 * again if more would lose roles (RESYNC-10). Throws Forbidden for everyone but admins, NotFound `resync_not_found`,
 * Conflict `nothing_to_confirm`.
 */
export async function confirmResync(
  guild: Pick<Guild, '_id'>,
  actor: Actor,
  jobId: string,
  shown: ShownLosses = {},
): Promise<StoredPlan> {
  const job = await readResync(guild, jobId);
  if (!holds(actor.role, 'admin')) throw new Forbidden('forbidden', 'Only an admin may confirm a mass removal.');
  const { awaitingConfirmation: held, rulesKey = null, fixedPlan } = job;
  const entry = entryOf(job, actor, 'resync.confirmed');
  const confirmed =
    held &&
    isAsShown(held, shown) &&
    (await Plans.update(
      { _id: jobId, guildId: guild._id, open: true, 'awaitingConfirmation.since': held.since },
      {
        $set: {
          confirmation: { losing: held.losing - (held.before ?? 0), rulesKey },
          ...(!fixedPlan && { phase: 'planning' }),
        },
        $unset: { awaitingConfirmation: 1, rulesKey: 1 },
        ...push(entry),
      },
    ));
  if (!confirmed) throw nothingToConfirm(held);
  await enterLog(entry);
  wakeResync(jobId);
  return confirmed;
}

/** The state shown to the confirming admin: since when the resync is held, or the loss count. */
interface ShownLosses {
  since?: Date | undefined;
  losing?: number | undefined;
}

const isAsShown = (held: NonNullable<StoredPlan['awaitingConfirmation']>, { since, losing }: ShownLosses): boolean =>
  (since === undefined || since.getTime() === held.since.getTime()) && (losing === undefined || losing === held.losing);

function nothingToConfirm(held: StoredPlan['awaitingConfirmation']): Conflict {
  if (held === undefined) return new Conflict('nothing_to_confirm', "This resync isn't waiting for confirmation.");
  const words = 'This resync has changed since you saw it. Look at it again before you confirm it.';
  return new Conflict('nothing_to_confirm', words, { reason: 'changed' });
}
