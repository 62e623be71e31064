import type { GuildFacts } from '../discord/guild-facts.js';
import { type GuildRules, judge, type MemberNow, wishedNickname } from './guild-rules.js';
import { planSync, type SyncPlan } from './plan.js';

/** What everybody of the same standing should hold, and should not. */
interface RoleWish {
  desired: readonly string[];
  excess: readonly string[];
}

/** Stand for the ranks of people who are not linked: `former` for those who were. */
const former = {};
const stranger = {};

/**
 * Plans many members by the same rules. Most are in step, and many stand alike: whoever shares the object of their
 * ranks with another was judged with them, and costs a comparison only.
 */
export class MemberPlanner {
  readonly #wishes = new WeakMap<object, RoleWish>();
  readonly #mappedRoles: string[];

  constructor(readonly rules: GuildRules) {
    this.#mappedRoles = [...new Set(rules.mappings.flatMap(({ roleIds }) => roleIds))];
  }

  /** The plan of a member, null for one who is in step; the same as `planSync` gives. Pure but for its memory. */
  plan(now: MemberNow, facts: GuildFacts): SyncPlan | null {
    const { roleIds: held, nickname: has } = now.member;
    const { desired, excess } = this.#wishFor(now, facts);
    const nickname = wishedNickname(this.rules, now);
    const inStep =
      desired.every((roleId) => held.includes(roleId)) &&
      !excess.some((roleId) => held.includes(roleId)) &&
      (nickname === undefined || nickname === has);
    return inStep ? null : planSync(judge(this.rules, now, facts));
  }

  #wishFor(now: MemberNow, facts: GuildFacts): RoleWish {
    const standing = now.game !== null ? now.ranks : now.stored?.state === 'unlinked' ? former : stranger;
    const known = this.#wishes.get(standing);
    if (known !== undefined) return known;
    // Whoever holds nothing lacks all that is desired; whoever holds everything has all that is too much.
    const ofHolder = (roleIds: string[]) =>
      planSync(judge(this.rules, { ...now, member: { ...now.member, roleIds } }, facts));
    const nothing = ofHolder([]);
    const everything = ofHolder(this.#mappedRoles);
    const blocked = (plan: SyncPlan) => plan.blocked.map(({ roleId }) => roleId);
    const wish = {
      desired: [...nothing.add, ...blocked(nothing)],
      excess: [...everything.remove, ...blocked(everything)],
    };
    this.#wishes.set(standing, wish);
    return wish;
  }
}
