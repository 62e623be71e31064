import { isRestrictive } from '../../../core/settings/restrictions.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { matches } from '../../mappings/condition.js';
import type { GuildRules, MemberNow } from './guild-rules.js';
import { conditionFacts, isSparedBy, judge, keeps, restrictionOf, voucherOf, wishedNickname } from './judge-member.js';
import { type MappingTally, type MatchedMapping, matchedMappings } from './mapping-tally.js';
import { hasWork, planSync, type SyncPlan } from './plan.js';

/** The roles for all members in the same state: due ones are `true`, undue ones `false`. Other roles are not ours. */
interface RoleWish {
  roles: ReadonlyMap<string, boolean>;
  desired: number;
  matched: readonly MatchedMapping[];
}

/** Keys in place of ranks for people without a link: `former` for formerly linked ones. */
const former = {};
const stranger = {};

/**
 * Plans many members by the same rules. Most are in step, and many are in the same state. Members that share the object
 * of their ranks, and the results of conditions on accounts, are judged once; the others cost one comparison.
 */
export class MemberPlanner {
  /** By the object of their ranks, and by the results of conditions on their account. */
  readonly #wishes = new WeakMap<object, Map<string, RoleWish>>();
  readonly #mappedRoles: string[];

  /** The tally, if given, counts all planned members. */
  constructor(
    readonly rules: GuildRules,
    readonly tally?: MappingTally,
  ) {
    this.#mappedRoles = [...new Set(rules.mappings.flatMap(({ roleIds }) => roleIds))];
  }

  /** A member's plan, null if they are in step; the same as `planSync` returns. Pure except for its memory. */
  plan(now: MemberNow, facts: GuildFacts): SyncPlan | null {
    const plan = this.#planOf(now, facts);
    this.tally?.note(this.#wishFor(now, facts).matched, now.member.roleIds, plan);
    return plan;
  }

  #planOf(now: MemberNow, facts: GuildFacts): SyncPlan | null {
    const { roleIds, nickname: held } = now.member;
    if (!this.#isJudgedAlone(now, facts)) {
      const nickname = wishedNickname(this.rules, now);
      const isNamed = nickname === undefined || nickname === held;
      const keepsRoles = keeps('keepRoles', this.rules, now);
      if (isNamed && (keepsRoles || holdsAsWished(roleIds, this.#wishFor(now, facts)))) return null;
    }
    const plan = planSync(judge(this.rules, now, facts));
    return isNothing(plan) ? null : plan;
  }

  #wishFor(now: MemberNow, facts: GuildFacts): RoleWish {
    const standing = now.game !== null ? now.ranks : now.stored?.state === 'unlinked' ? former : stranger;
    const alike = this.#wishes.get(standing) ?? new Map<string, RoleWish>();
    this.#wishes.set(standing, alike);
    const account = this.#accountOf(now);
    const known = alike.get(account);
    if (known !== undefined) return known;
    // A member without roles lacks all due roles, and a member with all roles has all undue ones. This test member is
    // not spared by restrictions for a place on Discord, and has accepted the server's rules.
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

  /**
   * Whether a member must be judged alone: kicks, the bot's right to kick, places above the restrictions' writer, and
   * being left out are individual.
   */
  #isJudgedAlone(now: MemberNow, facts: GuildFacts): boolean {
    const { restrictions } = this.rules.settings;
    if (now.stored?.leftOut !== undefined) return true;
    if (!isRestrictive(restrictions) || restrictionOf(this.rules, now) === null) return false;
    return restrictions.action === 'kick' || isSparedBy(this.rules, now, facts);
  }

  /**
   * This account's results for restrictions and each condition on the account or its facts, and the author of the word
   * that it rests on, as one key.
   */
  #accountOf(now: MemberNow): string {
    const { traitsWanted, factsWanted, settings } = this.rules;
    const voucher = voucherOf(now);
    const isOwn = voucher?.chatUserId === now.member.chatUserId;
    const word = voucher === undefined ? '' : `${isOwn} ${voucher.ceilingRoleId}`;
    const wanted = [...traitsWanted, ...factsWanted];
    if (now.game === null || (wanted.length === 0 && !isRestrictive(settings.restrictions))) return word;
    const facts = conditionFacts(this.rules, now);
    return [word, restrictionOf(this.rules, now), ...wanted.map((each) => matches(each, facts))].join();
  }
}

const isNothing = (plan: SyncPlan): boolean =>
  !hasWork(plan) &&
  plan.blocked.length === 0 &&
  plan.nicknameBlocked === null &&
  plan.sparedFrom === undefined &&
  plan.leftOut === undefined;

function holdsAsWished(roleIds: readonly string[], { roles, desired }: RoleWish): boolean {
  let missing = desired;
  for (const roleId of roleIds) {
    const isDesired = roles.get(roleId);
    if (isDesired === false) return false;
    if (isDesired === true) missing -= 1;
  }
  return missing === 0;
}
