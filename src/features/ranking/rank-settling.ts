import { LinkedGroups } from '../../core/groups/group-model.js';
import { isRankingOn } from '../../core/groups/ranking-rules.js';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { inLane } from '../../lib/lane.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { dayMs, minuteMs, secondMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { pokeAt, standing } from '../../platforms/jobs/standing.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import type { RankRefusal } from '../../platforms/roblox/group-ranks.js';
import { readJoinRequestOf } from '../../platforms/roblox/join-requests.js';
import { Members, memberIndexes } from '../members/member-model.js';
import { enqueueSync } from '../members/member-service.js';
import { type MoveOutcome, makeMove } from './rank-calls.js';
import { dueChanges, type RankChange, RankChanges } from './rank-change-model.js';
import { closeChange, openChangesOf, storeDone, storeRefused } from './rank-change-store.js';
import { readRolesOf } from './rank-reading.js';

/** Changes without a result, after a kill or a lost answer (RANKING-16). */
const settling = standing({
  name: 'settle-rank-changes',
  everyMs: minuteMs,
  atStart: true,
  run: (signal) => inLane('single', () => settleRankChanges(signal)),
});

/** How soon a change without an answer is looked at. */
export const lookAgainMs = 15 * secondMs;

/** Looks at changes without an answer after this time. */
export const pokeSettling = (afterMs: number): void => pokeAt(settling, new Date(clock.epochMs() + afterMs));

const work = new SeparateWork('rank_changes');

export async function settleRankChanges(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const change = await dueChanges.claimNext();
    if (change === null) return;
    await work.on(change._id, () => settle(change));
  }
}

async function settle(claimed: RankChange): Promise<void> {
  const { _id, guildId, groupId, gameUserId } = claimed;
  await withLease(`rank:${groupId}:${gameUserId}`, async () => {
    const change = await RankChanges.findOne({ _id, guildId });
    if (change?.dueAt === undefined) return;
    if (change.state === 'done') await follow(change);
    else await settleOpen(change);
  });
}

/**
 * Settles the person's earlier changes, so that the group's next reading is not taken for their result (RANKING-16). The
 * caller holds the person's lease. Throws GamePlatformUnavailable.
 */
export async function settleEarlier(person: Pick<RankChange, 'groupId' | 'gameUserId'>): Promise<void> {
  for (const change of await openChangesOf(person)) await settleOpen(change);
}

/** Its process was killed before the member's sync. */
async function follow(change: RankChange): Promise<void> {
  const { guildId, chatUserId } = change;
  if (chatUserId !== undefined && change.decision !== 'decline') await enqueueSync(guildId, chatUserId, 'rank_change');
  await closeChange(change);
}

/** The group tells the result. A part is finished, or taken back if Roblox refuses the rest. */
async function settleOpen(change: RankChange): Promise<void> {
  const { groupId, gameUserId } = change;
  if (clock.epochMs() - change.at.getTime() > dayMs) return closeChange(change);
  const held = await readRolesOf(groupId, gameUserId);
  if (change.decision !== undefined) return settleRequest(change, held);
  const { isBegun, given, missing, taken, left } = stateOf(change, held);
  if (!isBegun) return storeRefused(change, 'not_made');
  // A group that the operator has taken out is only read.
  if (missing.length + left.length === 0 || !isRankingOn(groupId)) return storeSettled(change, held);
  const rest = await makeMove({ groupId, gameUserId }, { assign: missing, unassign: left });
  if (rest.kind === 'done') {
    const named = new Map([...held, ...change.after].map((role) => [role.gameRoleId, role]));
    const after = rest.gameRoleIds.flatMap((gameRoleId) => named.get(gameRoleId) ?? []);
    return storeSettled(
      change,
      after.sort((a, b) => b.rank - a.rank),
    );
  }
  const refusal = finalRefusal(rest);
  const back = await makeMove({ groupId, gameUserId }, { assign: taken, unassign: given });
  if (back.kind === 'done') return storeRefused(change, refusal);
  finalRefusal(back);
  // Neither is allowed: the person keeps the roles of both, and the log says so.
  await storeSettled(change, held);
}

/** A request still there was not answered. Without it, the person's place tells the answer (RANKING-27). */
async function settleRequest(change: RankChange, held: readonly GameRole[]): Promise<void> {
  const request = await readJoinRequestOf(change.groupId, change.gameUserId);
  if (request === 'not_allowed') throw notYet();
  const isIn = held.length > 0;
  if (request !== null || isIn !== (change.decision === 'accept')) return storeRefused(change, 'not_made');
  return storeSettled(change, held);
}

/** Why Roblox refuses it. Throws GamePlatformUnavailable where a later try may end otherwise. */
function finalRefusal(outcome: Exclude<MoveOutcome, { kind: 'done' }>): RankRefusal {
  if (outcome.kind === 'unknown' || outcome.reason === 'rate_limited' || outcome.reason === 'not_sent') throw notYet();
  return outcome.reason;
}

const notYet = (): GamePlatformUnavailable => new GamePlatformUnavailable();

/** How far a change has come, by the present roles: the assigned roles given or missing, the others taken or left. Pure. */
function stateOf({ before, after }: Pick<RankChange, 'before' | 'after'>, held: readonly GameRole[]) {
  const [assigned, unassigned] = [without(after, before), without(before, after)];
  const [missing, taken] = [without(assigned, held), without(unassigned, held)];
  const [given, left] = [without(assigned, missing), without(unassigned, taken)];
  return { isBegun: (assigned.length > 0 ? given : taken).length > 0, given, missing, taken, left };
}

const without = (roles: readonly GameRole[], others: readonly GameRole[]): GameRole[] =>
  roles.filter((role) => !includes(others, role));

const includes = (roles: readonly GameRole[], { gameRoleId }: GameRole): boolean =>
  roles.some((role) => role.gameRoleId === gameRoleId);

async function storeSettled(change: RankChange, after: readonly GameRole[]): Promise<void> {
  const { guildId, groupId, gameUserId } = change;
  const group = (await LinkedGroups.findOne({ guildId, groupId })) ?? { name: groupId };
  // The person may have hidden their account since.
  const [member = null] = await Members.find(
    { guildId, gameUserId, state: 'linked' },
    { limit: 1, hint: memberIndexes.gameUserId },
  );
  const done = await storeDone(change, { group, member }, { after, isOpen: true });
  await follow(done ?? change);
}
