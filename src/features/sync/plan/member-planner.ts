import { isRestrictive } from '../../../core/settings/restrictions.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { matches } from '../../mappings/condition.js';
import type { GuildRules, MemberNow } from './guild-rules.js';
import { conditionFacts, isSparedBy, judge, keeps, restrictionOf, wishedNickname } from './judge-member.js';
import { type MappingTally, type MatchedMapping, matchedMappings } from './mapping-tally.js';
import { hasWork, planSync, type SyncPlan } from './plan.js';

/** What everybody of the same standing should hold (`true`) and should not (`false`); other roles are not ours. */
interface RoleWish {
  roles: ReadonlyMap<string, boolean>;
  desired: number;
  matched: readonly MatchedMapping[];
}

/** Stand for the ranks of people who are not linked: `former` for those who were. */
const former = {};
const stranger = {};

/**
 * Plans many members by the same rules. Most are in step, and many stand alike: whoever shares the object of their
 * ranks with another, and is like them in what conditions ask of accounts, was judged with them, and costs a comparison only.
 */
export class MemberPlanner {
  /** By what they hold on Roblox, and by what conditions make of their account. */
  readonly #wishes = new WeakMap<object, Map<string, RoleWish>>();
  readonly #mappedRoles: string[];

  /** Everybody who is planned is counted in the tally, if there is one. */
  constructor(
    readonly rules: GuildRules,
    readonly tally?: MappingTally,
  ) {
    this.#mappedRoles = [...new Set(rules.mappings.flatMap(({ roleIds }) => roleIds))];
  }

  /** The plan of a member, null for one who is in step; the same as `planSync` gives. Pure but for its memory. */
  plan(now: MemberNow, facts: GuildFacts): SyncPlan | null {
    const plan = this.#planOf(now, facts);
    this.tally?.note(this.#wishFor(now, facts).matched, now.member.roleIds, plan);
    return plan;
  }

  #planOf(now: MemberNow, facts: GuildFacts): SyncPlan | null {
    const { roleIds, nickname: held } = now.member;
    if (this.#isJudgedAlone(now, facts)) {
      const plan = planSync(judge(this.rules, now, facts));
      return isNothing(plan) ? null : plan;
    }
    const nickname = wishedNickname(this.rules, now);
    const isNamed = nickname === undefined || nickname === held;
    const keepsRoles = keeps('keepRoles', this.rules, now.member);
    if (isNamed && (keepsRoles || holdsAsWished(roleIds, this.#wishFor(now, facts)))) return null;
    return planSync(judge(this.rules, now, facts));
  }

  #wishFor(now: MemberNow, facts: GuildFacts): RoleWish {
    const standing = now.game !== null ? now.ranks : now.stored?.state === 'unlinked' ? former : stranger;
    const alike = this.#wishes.get(standing) ?? new Map<string, RoleWish>();
    this.#wishes.set(standing, alike);
    const account = this.#accountOf(now);
    const known = alike.get(account);
    if (known !== undefined) return known;
    // Whoever holds nothing lacks all that is desired; whoever holds everything has all that is too much.
    // Nobody here is spared by restrictions for their place on Discord, or waits for the server's rules.
    const rules = { ...this.rules, restrictionsCeiling: null };
    const settled = { ...now.member, pending: false };
    const ofHolder = (roleIds: string[]) => judge(rules, { ...now, member: { ...settled, roleIds } }, facts);
    const empty = ofHolder([]);
    const nothing = planSync({ ...empty, keepsRoles: false });
    const everything = planSync({ ...ofHolder(this.#mappedRoles), keepsRoles: false });
    const blocked = (plan: SyncPlan) => plan.blocked.map(({ roleId }) => roleId);
    const desired = [...nothing.add, ...blocked(nothing)];
    const excess = [...everything.remove, ...blocked(everything)];
    const roles = new Map([...desired.map((id) => [id, true] as const), ...excess.map((id) => [id, false] as const)]);
    const matched = matchedMappings(this.rules.mappings, empty.verdicts);
    const wish = { roles, desired: desired.length, matched };
    alike.set(account, wish);
    return wish;
  }

  /** Whom to kick, whether the bot may, and who stands above the writer of restrictions, is looked at one by one. */
  #isJudgedAlone(now: MemberNow, facts: GuildFacts): boolean {
    const { restrictions } = this.rules.settings;
    if (!isRestrictive(restrictions) || restrictionOf(this.rules, now) === null) return false;
    return restrictions.action === 'kick' || isSparedBy(this.rules, now.member, facts);
  }

  /** What restrictions and each condition on accounts make of this one, as a text. */
  #accountOf(now: MemberNow): string {
    const { traitsWanted, settings } = this.rules;
    if (now.game === null || (traitsWanted.length === 0 && !isRestrictive(settings.restrictions))) return '';
    const facts = conditionFacts(this.rules, now);
    return [restrictionOf(this.rules, now), ...traitsWanted.map((wanted) => matches(wanted, facts))].join();
  }
}

const isNothing = (plan: SyncPlan): boolean =>
  !hasWork(plan) && plan.blocked.length === 0 && plan.nicknameBlocked === null && plan.sparedFrom === undefined;

function holdsAsWished(roleIds: readonly string[], { roles, desired }: RoleWish): boolean {
  let missing = desired;
  for (const roleId of roleIds) {
    const isDesired = roles.get(roleId);
    if (isDesired === false) return false;
    if (isDesired === true) missing -= 1;
  }
  return missing === 0;
}
