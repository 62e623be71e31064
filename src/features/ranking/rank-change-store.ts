import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { RateLimited } from '../../lib/errors.js';
import { hourMs, secondMs } from '../../lib/time.js';
import { push } from '../../platforms/events/outbox.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { firstIdAt, type RankChange, RankChanges } from './rank-change-model.js';
import type { Ranker } from './ranker.js';

/**
 * Stores the intended change before Roblox is asked (RANKING-14), and then counts those of the last hour, so that
 * parallel requests don't exceed the limit. Throws RateLimited, and then nothing is stored.
 */
export async function storeIntended(change: RankChange, { perHour }: Pick<Ranker, 'perHour'>): Promise<void> {
  await RankChanges.insert(change);
  const { _id, guildId, by } = change;
  const since = new Date(clock.epochMs() - hourMs);
  const theirs = { guildId, by, _id: trusted({ $gte: firstIdAt(since) }) };
  const hint = { by: 1, guildId: 1, _id: -1 } as const;
  if ((await RankChanges.count(theirs, { hint })) <= perHour) return;
  await RankChanges.acrossGuilds.deleteOne({ _id, guildId });
  const [first] = await RankChanges.find(theirs, { sort: { _id: 1 }, limit: 1, hint });
  const waitMs = (first?.at.getTime() ?? clock.epochMs()) + hourMs - clock.epochMs();
  throw new RateLimited(
    Math.max(1, Math.ceil(waitMs / secondMs)),
    `At most ${perHour} changes of ranks are allowed in an hour. An admin of the server can raise that.`,
  );
}

const openStates: RankChange['state'][] = ['intended', 'unknown'];
const open = { dueAt: trusted({ $exists: true }), state: trusted({ $in: openStates }) };

/** The group, and the member if they show the account here. An entry about a member has no name of their account. */
interface About {
  group: { name: string };
  member: { chatUserId: string; chatUsername: string } | null;
}

/**
 * Stores the result, and with it the entry of the log. `isOpen`: the member still has to follow, until `dueAt` is gone.
 * Returns the change, or null if its result is stored already.
 */
export async function storeDone(
  change: RankChange,
  about: About,
  { after, isOpen }: { after: readonly GameRole[]; isOpen: boolean },
): Promise<RankChange | null> {
  const { _id, guildId } = change;
  const done = { ...change, after: [...after] };
  const entry = entryOf(done, about);
  const itself = { _id, guildId, state: trusted({ $in: openStates }) };
  const update = {
    $set: { state: 'done' as const, after: done.after },
    ...(!isOpen && { $unset: { dueAt: 1 as const } }),
    ...push(entry),
  };
  // First: a kill in between leaves this change open, and the settling comes here again.
  if (change.undoes !== undefined) {
    await RankChanges.update({ _id: change.undoes, guildId }, { $set: { undoneBy: _id } });
  }
  const stored = await RankChanges.update(itself, update);
  if (stored !== null) await enterLog(entry);
  return stored;
}

const actionOf = { accept: 'join_request.accepted', decline: 'join_request.declined' } as const;

/** The log entry of a change (RANKING-18, RANKING-29): its person is the member, or the account of somebody without a link. */
function entryOf(change: RankChange, { group, member }: About): NewEntry {
  const { guildId, actor, gameUserId, gameUsername, decision, before, after, reason, door } = change;
  return newEntry({
    guildId,
    actor: asActor(actor),
    action: decision === undefined ? 'member.ranked' : actionOf[decision],
    target:
      member === null
        ? { kind: 'game_user', id: gameUserId, name: gameUsername }
        : { kind: 'member', id: member.chatUserId, name: member.chatUsername },
    changes: {
      group: { from: null, to: group.name },
      ...(decision === undefined && { gameRole: { from: namesOf(before), to: namesOf(after) } }),
      ...(reason !== undefined && { note: { from: null, to: reason } }),
      door: { from: null, to: door },
    },
  });
}

const namesOf = (roles: readonly GameRole[]): string => roles.map(({ name, rank }) => `${name} (${rank})`).join(', ');

const asActor = (actor: RankChange['actor']): Actor => ({ ...actor, role: null, platformAdmin: false });

/** Stores that Roblox has not made the change. */
export async function storeRefused(
  { _id, guildId }: RankChange,
  refusal: NonNullable<RankChange['refusal']>,
): Promise<void> {
  await RankChanges.update({ _id, guildId }, { $set: { state: 'refused', refusal }, $unset: { dueAt: 1 } });
}

/** The changes of this person's rank without a result, in any guild with the group. */
export const openChangesOf = ({ groupId, gameUserId }: Pick<RankChange, 'groupId' | 'gameUserId'>) =>
  RankChanges.acrossGuilds
    .find({ ...open, groupId, gameUserId, decision: trusted({ $exists: false }) })
    .hint({ dueAt: 1 })
    .lean<RankChange[]>();

/** The request to join is still there: earlier answers without a result were not made (RANKING-27). */
export async function storeUnmade({ groupId, gameUserId }: Pick<RankChange, 'groupId' | 'gameUserId'>): Promise<void> {
  const answers = { ...open, groupId, gameUserId, decision: trusted({ $exists: true }) };
  const unmade = { $set: { state: 'refused' as const, refusal: 'not_made' as const }, $unset: { dueAt: 1 as const } };
  await RankChanges.acrossGuilds.updateMany(answers, unmade).hint({ dueAt: 1 });
}

/** Stores that the result is unknown; the next look at the group tells, `afterMs` from now. */
export async function storeUnknown({ _id, guildId }: RankChange, afterMs: number): Promise<void> {
  const dueAt = new Date(clock.epochMs() + afterMs);
  await RankChanges.update({ _id, guildId, state: 'intended' }, { $set: { state: 'unknown', dueAt } });
}

/** The member is in step, or has a pending sync. */
export async function closeChange({ _id, guildId }: RankChange): Promise<void> {
  await RankChanges.update({ _id, guildId }, { $unset: { dueAt: 1 } });
}
