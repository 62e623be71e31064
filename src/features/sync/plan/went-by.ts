import type { GroupRoles } from '../../../platforms/roblox/memberships.js';
import { heldFrom } from '../../members/held-ranks.js';
import type { Left, WentBy } from '../../members/member-sync-fields.js';
import { type GuildRules, rulesKeyOf } from './guild-rules.js';
import { rolesThatCount } from './roles-by-rules.js';

// A sync stores with the member the facts it was planned from and the roles it left (RANK-4). Newer facts are compared
// with them.

/** A member's nickname and relevant roles after a sync. Pure. */
export function leftOf(
  { roleIds, nickname }: { roleIds: readonly string[]; nickname: string | null },
  roles: ReadonlySet<string>,
): Left {
  return { roleIds: roleIds.filter((roleId) => roles.has(roleId)).sort(), nickname };
}

/** The basis for one guild's syncs: its rules, and ranks whose reading began at `readAt`. */
export class SyncFacts {
  readonly roles: ReadonlySet<string>;
  readonly rulesKey: string;
  readonly #groupIds: readonly string[];
  /** Many people share the object of their ranks. */
  readonly #held = new WeakMap<GroupRoles, string[]>();

  constructor(
    rules: GuildRules,
    readonly readAt: Date,
  ) {
    this.roles = rolesThatCount(rules);
    this.rulesKey = rulesKeyOf(rules);
    this.#groupIds = rules.groupIds.filter((groupId) => !rules.missing.has(groupId));
  }

  wentBy({ gameUserId, ranks, gone }: { gameUserId: string | null; ranks: GroupRoles; gone: boolean }): WentBy {
    const held = gameUserId === null ? [] : this.#heldFrom(ranks);
    const { readAt, rulesKey } = this;
    return { gameUserId, held, readAt, rulesKey, ...(gone && { gone: true as const }) };
  }

  left(member: { roleIds: readonly string[]; nickname: string | null }): Left {
    return leftOf(member, this.roles);
  }

  #heldFrom(ranks: GroupRoles): string[] {
    const known = this.#held.get(ranks);
    if (known !== undefined) return known;
    const held = heldFrom(ranks, this.#groupIds);
    this.#held.set(ranks, held);
    return held;
  }
}

/** Whether a sync by these facts need not be stored, since the last one had the same basis and result. Pure. */
export function isNoted(
  stored: {
    wentBy?: WentBy | undefined;
    left?: Left | undefined;
    contested?: readonly string[] | undefined;
    differs?: true | undefined;
  },
  now: { wentBy: WentBy; left: Left },
): boolean {
  const { wentBy, left, contested, differs } = stored;
  if (wentBy === undefined || left === undefined) return false;
  if (contested !== undefined || differs !== undefined) return false;
  return (
    wentBy.gameUserId === now.wentBy.gameUserId &&
    wentBy.rulesKey === now.wentBy.rulesKey &&
    wentBy.gone === now.wentBy.gone &&
    left.nickname === now.left.nickname &&
    areEqual(wentBy.held, now.wentBy.held) &&
    areEqual(left.roleIds, now.left.roleIds)
  );
}

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, index) => text === others[index]);
