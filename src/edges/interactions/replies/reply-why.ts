import { ButtonStyle, roleMention, TimestampStyles, time, userMention } from 'discord.js';
import { roleInGuild } from '../../../core/access/guild-access.js';
import { holds } from '../../../core/actors/team-roles.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { importSourceInWords } from '../../../features/accounts/import-source-words.js';
import {
  type Condition,
  type ConditionSubject,
  factConditionsOf,
  groupIdsOf,
  itemsOf,
  leavesOf,
  type TraitCondition,
  traitConditionsOf,
} from '../../../features/mappings/condition.js';
import { describeCondition, factInWords } from '../../../features/mappings/describe-condition.js';
import type { GameItem, GameTraits } from '../../../features/mappings/game-traits.js';
import { explainMember, type MappingReason, type MemberWhy } from '../../../features/member-views/member-why.js';
import { heldIn, rolesOf, showsHighestOnly } from '../../../features/member-views/member-why-view.js';
import { type NextRank, nextRanks } from '../../../features/member-views/next-rank.js';
import type { StoredFact } from '../../../features/members/member-facts.js';
import type { RankChange } from '../../../features/ranking/rank-change-model.js';
import { latestRankChangeOf } from '../../../features/ranking/rank-list.js';
import { describeRestriction } from '../../../features/sync/member/restriction-words.js';
import { reportedAbout } from '../../../features/sync/plan/judge-member.js';
import { refusedNicknameOf } from '../../../features/sync/plan/plan.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { describeObstacle } from '../../../platforms/discord/role-hierarchy.js';
import type { Entrance } from '../commands/command-access.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import { dashboardLink, guildPage } from '../dashboard-link.js';
import { list, note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';
import { leaveOutButton } from './reply-left-out.js';
import { pageSize, rolesInWords } from './reply-lists.js';
import { nicknameObstacle, observingLine } from './reply-sync.js';
import { undoUnlinkButton } from './reply-unlink.js';

const signs = { matched: '✅', unmatched: '❌', undecided: '❔' } as const;

/** How much detail is shown: only the team sees ids and the steps for an admin (DISC-9). */
interface Telling {
  why: MemberWhy;
  isOfTeam: boolean;
}

/**
 * Explains a member's roles from the `place`-th mapping on: whether each mapping gives its roles, and the facts behind
 * that. Throws as `explainMember` does.
 */
export async function whyReply({ guild, actor }: Entrance, chatUserId: string, place = 0): Promise<Reply> {
  const why = await explainMember(guild, chatUserId);
  const role = actor.role ?? (await roleInGuild(actor, guild));
  const isOfTeam = role !== null;
  const ordered = inOrder(why.reasons);
  const shown = ordered.slice(place, place + pageSize);
  const nextPlace = String(place + shown.length);
  const isOwn = chatUserId === actor.id;
  const nextId = isOwn ? componentId('why-own', nextPlace) : componentId('why', nextPlace, chatUserId);
  const hasMore = place + shown.length < ordered.length;
  const page = isOfTeam ? guildPage(guild._id, 'members', { member: chatUserId }) : '/me';
  const more = hasMore ? [pressButton(nextId, t('list.next'), ButtonStyle.Secondary)] : [];
  const undo = isOfTeam ? undoUnlinkButton(why.memberState.stored, chatUserId) : [];
  const out = holds(role, 'admin') ? leaveOutButton(why.memberState.stored, chatUserId) : [];
  const buttons = [...more, ...undo, ...out, ...dashboardLink(page)];
  const waits = why.plan.waitsForRules === true ? [t('sync.waits_for_rules')] : [];
  const held = why.removalsWait === undefined ? [] : [heldLine(why.removalsWait)];
  const next = nextRanks(why).map(nextRankLine);
  const latest = isOfTeam ? await latestRankChangeOf(why) : null;
  const observed = observingLine(why.memberState.settings);
  const head = [
    ...observed,
    aboutPerson(why, chatUserId),
    ...(latest === null ? [] : [rankChangedLine(latest)]),
    ...next,
    ...waits,
    ...held,
    ...nicknameLine(why, isOfTeam),
  ].join('\n');
  const about = note(why.memberState.game === null ? 'attention' : 'neutral', head);
  if (shown.length === 0)
    return note('neutral', [head, isOfTeam ? pressable('mapping.none') : t('why.no_mappings')].join('\n'), buttons);
  const lines = shown.map((reason) => reasonLine(reason, { why, isOfTeam }));
  const reasons = list(t('why.title'), lines, buttons);
  return { ...reasons, embeds: [...about.embeds, ...reasons.embeds] };
}

/** The reasons that matched first, then the open ones, and paused ones last; those in one kind stay in order. */
function inOrder(reasons: readonly MappingReason[]): MappingReason[] {
  const place = ({ verdict, paused }: MappingReason) => (paused === null ? order.indexOf(verdict) : order.length);
  return reasons.toSorted((a, b) => place(a) - place(b));
}

const order: readonly MappingReason['verdict'][] = ['matched', 'undecided', 'unmatched'];

function nextRankLine({ groupName, rank, name, roleIds }: NextRank): string {
  const next = t('why.rank', { name: verbatim(name ?? groupName), rank });
  return t('why.next_rank', { rank: next, group: verbatim(groupName), roles: rolesInWords(roleIds) });
}

/** Only the team sees the author. */
function rankChangedLine({ at, actor, before, after }: RankChange): string {
  const [from, to] = [before, after].map((roles) => roles.map(({ name }) => verbatim(name)).join(', '));
  const when = time(at, TimestampStyles.RelativeTime);
  const author = actor.kind === 'user' ? userMention(actor.id) : verbatim(actor.name);
  return t('why.rank_changed', { when, author, from: from ?? '', to: to ?? '' });
}

function aboutPerson(why: MemberWhy, chatUserId: string): string {
  const { memberState, restriction, plan, importedFrom } = why;
  const { stored, game, gone, doubt, traits, settings } = memberState;
  const person = userMention(chatUserId);
  const kept = keptLines(why);
  if (game === null) return [pressable('why.not_verified', { person }), ...kept].join('\n');
  const when = stored?.linkedAt === undefined ? '' : time(stored.linkedAt, TimestampStyles.RelativeTime);
  return [
    t('why.verified', { person, account: gameAccount(game), when }),
    ...(importedFrom === null ? [] : [t('why.imported', { source: importSourceInWords(importedFrom) })]),
    ...(gone ? [t('why.account_gone')] : []),
    ...(doubt === undefined ? [] : [t(`why.doubt_${doubt}`)]),
    ...(restriction === null ? [] : [restrictionLine(restriction, settings, plan.sparedFrom !== undefined)]),
    ...(traits.isPrivate ? [t('why.inventory_private')] : []),
    ...(showsHighestOnly(why) ? [t('why.highest_only')] : []),
    ...kept,
  ].join('\n');
}

/** The reasons for which their roles or their nickname stay as they are. */
function keptLines({ keeps, memberState: { stored } }: MemberWhy): string[] {
  if (stored?.leftOut !== undefined)
    return [t('why.left_out', { when: time(stored.leftOut, TimestampStyles.RelativeTime) })];
  return (['roles', 'nickname'] as const).flatMap((what) => (keeps[what] ? t(`why.keeps_${what}`) : []));
}

const heldLine = ({ resyncId }: NonNullable<MemberWhy['removalsWait']>): string =>
  resyncId === null ? pressable('why.removals_held') : pressable('why.removals_wait', { resync: resyncId });

/** Discord's obstacle to the nickname. `/update` reports the other obstacles. */
function nicknameLine({ plan }: MemberWhy, isOfTeam: boolean): string[] {
  const nicknameRefused = refusedNicknameOf(plan);
  if (nicknameRefused === undefined) return [];
  if (!isOfTeam) return [t('sync.nickname_kept')];
  return nicknameObstacle({ ...plan, nicknameRefused }).map((why) => t('sync.blocked', { why }));
}

function restrictionLine(
  restriction: RestrictionRule | 'unknown',
  { restrictions }: GuildSettings,
  isSpared: boolean,
): string {
  if (isSpared) return t('why.restriction_spared');
  if (restriction === 'unknown') return t('why.restriction_unknown');
  return t('sync.restricted', { why: describeRestriction(restriction, restrictions) });
}

function reasonLine(reason: MappingReason, telling: Telling): string {
  const { mapping, verdict, paused } = reason;
  const { groups } = telling.why.snapshot;
  const isKnown = groupIdsOf(mapping.condition).every((id) => groups.some(({ groupId }) => groupId === id));
  const condition = isKnown || telling.isOfTeam ? describeCondition(mapping.condition, groups) : t('why.broken');
  const line = t('mapping.line', {
    name: mapping.name === null ? '' : `**${verbatim(mapping.name)}**: `,
    condition: verbatim(condition),
    roles: rolesInWords(reason.roleIds),
  });
  const facts = paused === null ? factsOf(reason, telling) : [t('mapping.paused')];
  const hasRank = mapping.condition.type === 'group_roles' && reason.parts.some(({ met }) => met === true);
  if (hasRank && verdict === 'unmatched') facts.push(t('why.no_role_of_rank'));
  const words = [`${signs[verdict]} ${line}`, ...facts, ...changesOf(reason, telling)];
  return words.join(' · ');
}

/** How each subject of conditions tells the facts behind a verdict: each once, groups with the time they were read. */
const factsAbout: Record<Exclude<ConditionSubject, 'parts'>, (condition: Condition, why: MemberWhy) => string[]> = {
  link(condition, { memberState: { game } }) {
    const asksLink = leavesOf(condition).some(({ leaf }) => leaf.type === 'verified' || leaf.type === 'unverified');
    return asksLink || game === null ? [t(game === null ? 'why.is_not_verified' : 'why.is_verified')] : [];
  },
  account: (condition, { memberState: { game, traits } }) => (game === null ? [] : traitsOf(condition, traits)),
  game: (condition, { memberState }) =>
    memberState.game === null ? [] : reportedFacts(condition, reportedAbout(memberState)),
  group(condition, why) {
    const { ranksReadAt, memberState } = why;
    const groupIds = memberState.game === null ? [] : groupIdsOf(condition);
    if (groupIds.length === 0) return [];
    const read = ranksReadAt && t('why.read', { when: time(ranksReadAt, TimestampStyles.RelativeTime) });
    return [...groupIds.map((groupId) => groupFact(groupId, why)), ...(read ? [read] : [])];
  },
};

const factsOf = ({ mapping: { condition } }: MappingReason, { why }: Telling): string[] =>
  Object.values(factsAbout).flatMap((tell) => tell(condition, why));

/** How each kind of condition on the account tells its trait. An item tells itself once for each item. */
const traitFacts: { [Type in TraitCondition['type']]: (traits: GameTraits, items: readonly GameItem[]) => string[] } = {
  premium: ({ premium }) => [t(premium === null ? 'why.premium_unknown' : premium ? 'why.premium' : 'why.no_premium')],
  account_age: ({ ageDays }) => [ageFact(ageDays)],
  owns_item: (traits, items) =>
    items.map((item) => {
      const owns = traits.owns(item);
      const name = t(`why.${item.kind}`, { id: item.id });
      return t(owns === null ? 'why.owns_unknown' : owns ? 'why.owns' : 'why.owns_not', { item: name });
    }),
};

/** The account traits that a condition requires, each once. */
function traitsOf(condition: Condition, traits: GameTraits): string[] {
  const wanted = traitConditionsOf([condition]);
  const types = [...new Set(wanted.map(({ type }) => type))];
  return types.flatMap((type) => traitFacts[type](traits, itemsOf(wanted)));
}

/** The facts from the guild's game that a condition requires, each once. */
function reportedFacts(condition: Condition, facts: readonly StoredFact[]): string[] {
  return [...new Set(factConditionsOf([condition]).map(({ key }) => key))].map((key) => {
    const fact = facts.find((each) => each.key === key);
    if (fact === undefined) return t('why.fact_unknown', { key: verbatim(key) });
    const when = time(fact.at, TimestampStyles.RelativeTime);
    return t('why.fact', { key: verbatim(key), value: verbatim(factInWords(fact.value)), when });
  });
}

const ageFact = (days: number | null): string =>
  days === null ? t('why.account_age_unknown') : t('why.account_age', { days });

function groupFact(groupId: string, why: MemberWhy): string {
  const { name, roles } = heldIn(groupId, why);
  const group = verbatim(name ?? t('why.a_group'));
  if (roles === null) return t('why.group_unknown', { group });
  if (roles.length === 0) return t('why.not_in_group', { group });
  const held = roles.map((role) => t('why.rank', { name: verbatim(role.name), rank: role.rank })).join(', ');
  return t('why.in_group', { group, roles: held });
}

function changesOf(reason: MappingReason, { why, isOfTeam }: Telling): string[] {
  return rolesOf(reason, why).flatMap(({ roleId, change, reason: obstacle, detail }) => {
    const role = roleMention(roleId);
    if (change !== null) return t(change === 'add' ? 'why.gets' : 'why.loses', { role });
    if (obstacle === null) return [];
    if (!isOfTeam) return t('why.blocked', { role });
    return t('sync.blocked', { why: verbatim(describeObstacle(why.snapshot.facts, roleId, obstacle, detail)) });
  });
}
