import type { GameRole } from '../../platforms/roblox/game-groups.js';

/** The owner's rank: nobody gives or takes it. */
export const ownerRank = 255;

/** The rank to give: a role of the group, or one step on its ladder. */
export type RankTarget = { gameRoleId: string } | { step: 1 | -1 };

/** The assigned and unassigned roles of a change, and the member's roles with it, highest first. */
export interface RankMove {
  assign: GameRole[];
  unassign: GameRole[];
  before: GameRole[];
  after: GameRole[];
}

/** A change to `to`, the role that was asked for. */
export interface MoveToRole extends RankMove {
  to: GameRole;
}

/** `unknown`: the group has no such role. `no_step`: there is no rank above or below. `unchanged`: they hold it. */
export type NoMove = 'unknown' | 'no_step' | 'unchanged';

/**
 * The ladder of a group: one role for each rank between guests and the owner, lowest first. Of roles with one rank, the
 * oldest stands on it, and the others beside it (RANKING-8). Pure.
 */
function ladderOf(roles: readonly GameRole[]): GameRole[] {
  const onLadder = new Map<number, GameRole>();
  for (const role of roles) {
    const there = onLadder.get(role.rank);
    if (role.rank < 1 || role.rank >= ownerRank) continue;
    if (there === undefined || isOlder(role, there)) onLadder.set(role.rank, role);
  }
  return [...onLadder.values()].sort((a, b) => a.rank - b.rank);
}

const isOlder = (one: GameRole, other: GameRole): boolean => BigInt(one.gameRoleId) < BigInt(other.gameRoleId);

/**
 * The change to this rank for a member with the roles `held`. On the ladder it replaces their highest role, and
 * those above the new one. A role beside the ladder is added to the others (RANKING-9). Pure.
 */
export function moveTo(target: RankTarget, held: readonly GameRole[], roles: readonly GameRole[]): MoveToRole | NoMove {
  const ladder = ladderOf(roles);
  const isOn = (role: GameRole): boolean => ladder.some(({ gameRoleId }) => gameRoleId === role.gameRoleId);
  const mine = byRank(held).filter(isOn);
  const to = 'step' in target ? nextOn(ladder, mine[0] ?? byRank(held)[0], target.step) : roleOf(roles, target);
  if (to === undefined) return 'step' in target ? 'no_step' : 'unknown';
  if (to.rank === 0) return 'unknown';
  const assign = holds(held, to) ? [] : [to];
  const above = mine.filter((role, place) => role.gameRoleId !== to.gameRoleId && (place === 0 || role.rank > to.rank));
  const unassign = isOn(to) ? above : [];
  if (assign.length + unassign.length === 0) return 'unchanged';
  return { ...whole(assign, unassign, held), to };
}

/** The change back to the roles of before. Pure. */
export function moveBack({ before, after }: Pick<RankMove, 'before' | 'after'>): RankMove {
  const assign = before.filter((role) => !holds(after, role));
  const unassign = after.filter((role) => !holds(before, role));
  return whole(assign, unassign, after);
}

/** Whether two lists have the same roles. Pure. */
export const areSameRoles = (some: readonly GameRole[], others: readonly GameRole[]): boolean =>
  some.length === others.length && some.every((role) => holds(others, role));

/** The highest rank among roles; 0 for none. Pure. */
export const highestRank = (roles: readonly GameRole[]): number => Math.max(0, ...roles.map(({ rank }) => rank));

const holds = (roles: readonly GameRole[], { gameRoleId }: GameRole): boolean =>
  roles.some((role) => role.gameRoleId === gameRoleId);

const byRank = (roles: readonly GameRole[]): GameRole[] => [...roles].sort((a, b) => b.rank - a.rank);

function whole(assign: GameRole[], unassign: GameRole[], before: readonly GameRole[]): RankMove {
  const after = byRank([...before.filter((role) => !holds(unassign, role)), ...assign]);
  return { assign, unassign, before: byRank(before), after };
}

/** A member with roles beside the ladder alone stands on the step of their rank. */
function nextOn(ladder: readonly GameRole[], from: GameRole | undefined, step: 1 | -1): GameRole | undefined {
  const at = ladder.findLastIndex(({ rank }) => rank <= (from?.rank ?? 0));
  return ladder[at + step];
}

const roleOf = (roles: readonly GameRole[], { gameRoleId }: { gameRoleId: string }): GameRole | undefined =>
  roles.find((role) => role.gameRoleId === gameRoleId);
