import { type Author, mayCause } from '../../../core/actors/reach.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type ConditionFacts, factConditionsOf, leavesOf, matches } from '../../mappings/condition.js';
import { heldRoleIds } from '../../mappings/mapping-status.js';
import { factsOf, type StoredFact, valuesOf } from '../../members/member-facts.js';
import type { GuildRules, MemberNow } from './guild-rules.js';
import { renderNickname } from './nickname.js';
import type { MappingVerdict, NicknameWish, PlanInput } from './plan.js';
import { refusedLately } from './refused-parts.js';
import { restrictionOn } from './restriction.js';
import type { SeenMember } from './seen-member.js';

export function conditionFacts(
  { missing, highestOnly }: Pick<GuildRules, 'missing' | 'highestOnly'>,
  { game, ranks, traits, stored }: Pick<MemberNow, 'game' | 'ranks' | 'traits' | 'stored'>,
): ConditionFacts {
  const hasNone = game === null || stored?.goneSince !== undefined;
  const reported = hasNone ? null : valuesOf(reportedAbout({ game, stored }));
  return { verified: game !== null, ranks, missing, traits, highestOnly, reported };
}

/** The facts that the guild's game reported about the linked account. Pure. */
export const reportedAbout = ({ game, stored }: Pick<MemberNow, 'game' | 'stored'>): readonly StoredFact[] =>
  game === null || stored?.facts === undefined ? [] : factsOf({ gameUserId: game.gameUserId, facts: stored.facts });

/**
 * Judges one member by the guild's rules, as a plan's input. Verdicts come in the mappings' order. Pure, except for the
 * age of refusals.
 */
export function judge(rules: GuildRules, now: MemberNow, facts: GuildFacts): PlanInput {
  const { member, stored } = now;
  const known = conditionFacts(rules, now);
  const reported = reportedAbout(now);
  const found = restrictionOf(rules, now);
  const isSpared = found !== null && isSparedBy(rules, now, facts);
  const restriction = isSpared ? 'unknown' : found;
  const inForce = rules.mappings.map((mapping): MappingVerdict => {
    const { condition, roleIds, removeWhenUnmatched, confirmedDangers } = mapping;
    const matched = restriction === null ? matches(condition, known) : restriction === 'unknown' ? null : false;
    const held = confirmedDangers === undefined ? [] : heldRoleIds({ roleIds, confirmedDangers }, facts);
    const verdict = matched === null ? 'undecided' : matched ? 'matched' : 'unmatched';
    const beyond = restriction === null ? beyondFacts(mapping, { known, reported, facts }) : [];
    return {
      ...{ roleIds, removeWhenUnmatched, verdict },
      ...(held.length > 0 && { heldRoleIds: held }),
      ...(beyond.length > 0 && { beyondRoleIds: beyond }),
    };
  });
  const paused: MappingVerdict = { roleIds: rules.pausedRoleIds, removeWhenUnmatched: false, verdict: 'undecided' };
  const verdicts = paused.roleIds.length === 0 ? inForce : [...inForce, paused];
  const mayRemove = stored?.state !== 'unlinked' || rules.settings.unlink.removeRoles;
  const keepsRoles = keeps('keepRoles', rules, now);
  const kickFor = kickReason(restriction, rules, now);
  const wish = { verdicts, nickname: wishedNickname(rules, now), mayRemove, keepsRoles };
  const sparedFrom = isSpared && found !== 'unknown' ? found : undefined;
  const refused = refusedLately(stored, now.byPerson === true);
  const voucher = voucherOf(now);
  const exceptions = {
    ...(refused.length > 0 && { refused }),
    ...(sparedFrom && { sparedFrom }),
    ...(stored?.leftOut !== undefined && { isLeftOut: true }),
    ...(voucher && { isBeyondWord: (roleId: string) => isBeyond(voucher, roleId, member, facts) }),
    ...(rules.settings.waitForRules && member.pending === true && { waitsForRules: true }),
  };
  return { member, ...wish, ...exceptions, ...(kickFor && { kickFor }), facts };
}

/**
 * The roles of a mapping that rest on facts from authors of no reach to them: without those facts it would be open
 * (FACT-14). Pure.
 */
function beyondFacts(
  { condition, roleIds }: Pick<GuildRules['mappings'][number], 'condition' | 'roleIds'>,
  { known, reported, facts }: { known: ConditionFacts; reported: readonly StoredFact[]; facts: GuildFacts },
): string[] {
  // Nothing rests on the facts of a gone account: it has none (FACT-10).
  if (known.reported === null || reported.length === 0) return [];
  const keys = new Set(factConditionsOf([condition]).map(({ key }) => key));
  const asked = reported.filter(({ key }) => keys.has(key));
  if (asked.length === 0) return [];
  return roleIds.filter((roleId) => {
    const role = facts.roles.get(roleId);
    if (role === undefined) return false;
    const reaches = ({ ceilingRoleId }: StoredFact) =>
      mayCause({ chatUserId: null, ceilingRoleId }, { by: 'rule', role }, facts);
    const counting = asked.filter(reaches);
    return counting.length < asked.length && matches(condition, { ...known, reported: valuesOf(counting) }) === null;
  });
}

/** The author of the guild's word on which a link rests; undefined for a proof, and without a link. Pure. */
export const voucherOf = ({ stored, game }: Pick<MemberNow, 'stored' | 'game'>): Author | undefined =>
  game === null ? undefined : stored?.word?.voucher;

function isBeyond(voucher: Author, roleId: string, person: Pick<SeenMember, 'chatUserId'>, facts: GuildFacts): boolean {
  const role = facts.roles.get(roleId);
  return role !== undefined && !mayCause(voucher, { by: 'word', role, person }, facts);
}

/**
 * Whether restrictions spare a member because their writer, or the author of the word on which the link rests, is not
 * above them (RESTR-15). Pure.
 */
export function isSparedBy(
  { restrictionsCeiling }: Pick<GuildRules, 'restrictionsCeiling'>,
  now: Pick<MemberNow, 'member' | 'stored' | 'game'>,
  facts: GuildFacts,
): boolean {
  const { member: person } = now;
  const writer = { chatUserId: null, ceilingRoleId: restrictionsCeiling };
  const voucher = voucherOf(now);
  if (!mayCause(writer, { by: 'rule', person }, facts)) return true;
  return voucher !== undefined && !mayCause(voucher, { by: 'word', person }, facts);
}

/** The restriction on a member, possibly unknown; null if there is none. Pure. */
export function restrictionOf(rules: GuildRules, now: Pick<MemberNow, 'game' | 'ranks' | 'traits' | 'stored'>) {
  return restrictionOn(rules.settings.restrictions, now.game, conditionFacts(rules, now));
}

/**
 * Whether a condition on a person, or a restriction, can't be decided by what is known about their account. Facts that
 * no game has reported leave nothing open: that is their state. Pure.
 */
export function isOpen(rules: GuildRules, now: Pick<MemberNow, 'game' | 'ranks' | 'traits' | 'stored'>): boolean {
  const known = conditionFacts(rules, now);
  const isUnknown = rules.mappings.some(
    ({ condition }) =>
      matches(condition, known) === null &&
      leavesOf(condition).some(({ leaf }) => leaf.type !== 'fact' && matches(leaf, known) === null),
  );
  return isUnknown || restrictionOf(rules, now) === 'unknown';
}

/** The reason to kick a member, as far as the rules go. A gone account is no reason: it may come back. */
function kickReason(
  restriction: ReturnType<typeof restrictionOf>,
  { settings }: GuildRules,
  { stored }: Pick<MemberNow, 'stored'>,
): RestrictionRule | undefined {
  const isSure = restriction !== null && restriction !== 'unknown' && stored?.goneSince === undefined;
  return isSure && settings.restrictions.action === 'kick' ? restriction : undefined;
}

/**
 * Whether a member keeps their roles, or their nickname, unchanged: by a role (SET-4), as a guest (SYNC-101), or since an
 * admin leaves them out (OBS-117). Pure.
 */
export function keeps(
  what: keyof GuildSettings['bypass'],
  { settings: { bypass } }: Pick<GuildRules, 'settings'>,
  {
    member: { roleIds, isGuest },
    stored,
  }: Pick<MemberNow, 'stored'> & { member: Pick<SeenMember, 'roleIds' | 'isGuest'> },
): boolean {
  if (isGuest === true || stored?.leftOut !== undefined) return true;
  return bypass[what].some((roleId) => roleIds.includes(roleId));
}

/** The nickname that the settings require; undefined leaves it unchanged. Pure. */
export function wishedNickname(rules: GuildRules, now: MemberNow): NicknameWish {
  const { member, stored, game, ranks } = now;
  const { settings, missing } = rules;
  const { enabled } = settings.nickname;
  if (keeps('keepNickname', rules, now)) return undefined;
  if (game !== null) {
    if (stored?.word?.keepsNickname === true) return undefined;
    const template = enabled ? templateFor(rules, now) : null;
    if (template === null || isUndecided(template, missing)) return undefined;
    const wish = renderNickname(template, { game, chatUsername: member.username, ranks });
    return isMadeOf(wish, member, stored) ? member.nickname : wish;
  }
  if (stored?.state !== 'unlinked' || !isOurs(member, stored)) return undefined;
  const { formerNickname } = stored;
  if (formerNickname !== undefined) return formerNickname;
  return settings.unlink.resetNickname ? null : undefined;
}

/** The template that names a member; null while it is unknown whether a mapping with higher precedence matches. */
function templateFor(rules: GuildRules, now: MemberNow): string | null {
  if (rules.naming.length === 0 || restrictionOf(rules, now) !== null) return rules.settings.nickname.template;
  const facts = conditionFacts(rules, now);
  for (const { condition, nickname } of rules.naming) {
    const matched = matches(condition, facts);
    if (matched === null) return null;
    if (matched) return nickname.template;
  }
  return rules.settings.nickname.template;
}

/** Whether a member has our last nickname accepted by Discord, or one that a killed sync has set. */
function isOurs({ nickname }: SeenMember, { givenNickname, applying }: NonNullable<MemberNow['stored']>): boolean {
  return givenNickname === nickname || (nickname !== null && applying?.nickname === nickname);
}

/** Whether a member has Discord's version of the nickname that we asked for (SYNC-19). */
function isMadeOf(wish: string, { nickname, username }: SeenMember, stored: MemberNow['stored']): boolean {
  if (stored?.askedNickname !== wish || stored.givenNickname !== nickname) return false;
  return nickname !== null || stored.namelessAs === username;
}

function isUndecided(template: string, missing: ReadonlySet<string>): boolean {
  return missing.size > 0 && groupIdsOfTemplate(template).some((groupId) => missing.has(groupId));
}
