import { LinkedGroups } from '../../core/groups/group-model.js';
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
import { closeChange, storeDone, storeRefused } from './rank-change-store.js';
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
    else if (clock.epochMs() - change.at.getTime() > dayMs) await closeChange(change);
    else await settleOpen(change);
  });
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
  const held = await readRolesOf(groupId, gameUserId);
  if (change.decision !== undefined) return settleRequest(change, held);
  const { given, left } = stateOf(change, held);
  if (given === 'none') return storeRefused(change, 'not_made');
  if (left.length === 0) return storeSettled(change, held);
  const rest = await makeMove({ groupId, gameUserId }, { assign: [], unassign: left });
  if (rest.kind === 'done') {
    return storeSettled(
      change,
      held.filter(({ gameRoleId }) => rest.gameRoleIds.includes(gameRoleId)),
    );
  }
  const refusal = finalRefusal(rest);
  const back = await makeMove({ groupId, gameUserId }, { assign: [], unassign: addedBy(change) });
  if (back.kind === 'done') return storeRefused(change, refusal);
  finalRefusal(back);
  // Neither is allowed: the person keeps both roles, and the log says so.
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

/** How far a change has come, by the present roles. Pure. */
function stateOf(
  change: Pick<RankChange, 'before' | 'after'>,
  held: readonly GameRole[],
): { given: 'all' | 'none'; left: GameRole[] } {
  const added = addedBy(change);
  const taken = change.before.filter((role) => !includes(change.after, role));
  const left = taken.filter((role) => includes(held, role));
  const isBegun = added.length > 0 ? added.every((role) => includes(held, role)) : left.length < taken.length;
  return isBegun ? { given: 'all', left } : { given: 'none', left };
}

const addedBy = ({ before, after }: Pick<RankChange, 'before' | 'after'>): GameRole[] =>
  after.filter((role) => !includes(before, role));

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
