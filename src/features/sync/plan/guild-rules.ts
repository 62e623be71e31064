import { createHash } from 'node:crypto';
import { findGroups, refreshedForDisplay } from '../../../core/groups/linked-groups.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import { groupIdsOfRestrictions } from '../../../core/settings/restrictions.js';
import type { VersionedSettings } from '../../../core/settings/settings-service.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readGameGroup } from '../../../platforms/roblox/game-groups.js';
import { checkGroup } from '../../../platforms/roblox/group-checks.js';
import type { GroupRoles } from '../../../platforms/roblox/memberships.js';
import { hasOpenCloud } from '../../../platforms/roblox/open-cloud.js';
import {
  type Condition,
  factConditionsOf,
  groupIdsOf,
  type TraitCondition,
  traitConditionsOf,
} from '../../mappings/condition.js';
import type { GameTraits } from '../../mappings/game-traits.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import type { Mapping } from '../../mappings/mapping-model.js';
import type { RoleAcceptance } from '../../mappings/mapping-status.js';
import { partByPlan } from '../../mappings/mappings-in-force.js';
import { rememberPairs } from '../../mappings/rank-pairs.js';
import type { FactCondition } from '../../mappings/reported-facts.js';
import { expanded, mapsWholeGroup, type RankPair } from '../../mappings/whole-group.js';
import type { GameIdentity, Member } from '../../members/member-model.js';
import { ageAsked } from './restriction.js';
import { type RulesSnapshot, readRulesSnapshot } from './rules-snapshot.js';
import type { SeenMember } from './seen-member.js';

/** The fields by which a mapping is judged: a stored one, or a draft of a "what if". */
export interface MappingRule {
  /** Absent in a draft. */
  _id?: string;
  updatedAt?: Date;
  condition: Condition;
  roleIds: readonly string[];
  removeWhenUnmatched: boolean;
  /** Its roles' accepted dangers (`heldRoleIds`). A draft holds none back, since saving it accepts them. */
  confirmedDangers?: RoleAcceptance['confirmedDangers'];
  ceilingRoleId?: string | null;
  pairs?: readonly RankPair[];
  nickname?: MappingDraft['nickname'];
}

type NamingRule = MappingRule & { nickname: NonNullable<MappingDraft['nickname']> };

/** A guild's rules for roles and nicknames, the same for all members. */
export interface GuildRules {
  mappings: readonly MappingRule[];
  /** The roles in mappings paused by the guild's plan (`partByPlan`): these mappings neither give nor take them. */
  pausedRoleIds: readonly string[];
  settings: GuildSettings;
  /** Restrictions spare members that are not below this role (`standsBelow`). */
  restrictionsCeiling: string | null;
  /** The mappings that give a nickname, by precedence. */
  naming: readonly NamingRule[];
  /** The groups whose ranks are needed to judge a member. */
  groupIds: readonly string[];
  /** The account traits that mappings test: Premium, age, items. */
  traitsWanted: readonly TraitCondition[];
  /** The facts from the guild's game that mappings test. */
  factsWanted: readonly FactCondition[];
  /** Groups that Roblox does not know (any more). A missing membership there has no known meaning. */
  missing: ReadonlySet<string>;
  /** The groups' role ranks by id, if Roblox shows only a member's highest role (RANK-27); else absent. */
  highestOnly?: ReadonlyMap<string, number>;
  /** Whether they were read while several writes were changing them. */
  inChange?: boolean;
}

export interface RulesDraft {
  mappings?: readonly MappingRule[];
  settings?: Pick<VersionedSettings, 'settings' | 'restrictionsCeiling'>;
}

/** A member's stored fields that plans use, apart from the link. */
type PlannedFields =
  | 'word'
  | 'formerNickname'
  | 'givenNickname'
  | 'askedNickname'
  | 'namelessAs'
  | 'applying'
  | 'goneSince'
  | 'leftOut'
  | 'refused'
  | 'facts';

/** One member at present: on Discord, in our database, and on Roblox. `game` is null for a member without a link. */
export interface MemberNow {
  member: SeenMember;
  stored: (Pick<Member, 'state'> & Partial<Pick<Member, PlannedFields>>) | null;
  game: GameIdentity | null;
  ranks: GroupRoles;
  /** The linked account's traits; undefined if unknown. */
  traits: GameTraits | undefined;
  /** Whether a person has asked for the sync. */
  byPerson?: boolean | undefined;
}

/**
 * Reads a guild's rules; `draft` replaces stored ones. Roblox reports deleted groups; with `asksGame` false its last
 * answer counts. `snapshot`: the stored rules, if just read. Throws GamePlatformUnavailable, and RateLimited for a
 * draft that names many groups.
 */
export async function readRules(
  guild: Pick<Guild, '_id' | 'plan'>,
  draft: RulesDraft = {},
  { asksGame = true, snapshot }: { asksGame?: boolean; snapshot?: RulesSnapshot | undefined } = {},
): Promise<GuildRules> {
  const { gone, ...stored } = await readStoredRules(guild, draft, snapshot);
  const { enabled, template } = stored.settings.nickname;
  const naming = enabled ? namingAmong(stored.mappings) : [];
  const templates = enabled ? [template, ...naming.map(({ nickname }) => nickname.template)] : [];
  const named = stored.mappings.flatMap(({ condition }) => groupIdsOf(condition));
  const { restrictions } = stored.settings;
  const ofSettings = [...templates.flatMap(groupIdsOfTemplate), ...groupIdsOfRestrictions(restrictions)];
  const groupIds = [...new Set([...named, ...ofSettings])];
  const conditions = stored.mappings.map(({ condition }) => condition);
  const traitsWanted = traitConditionsOf([...conditions, ...ageAsked(restrictions)]);
  // A draft can name any group.
  const checkedFor = Object.keys(draft).length > 0 ? guild._id : undefined;
  const missing = asksGame ? await missingGroups(groupIds, { checkedFor }) : gone;
  const hidden = asksGame && !hasOpenCloud() && { highestOnly: await ranksOfRoles(groupIds) };
  return { ...stored, naming, groupIds, traitsWanted, factsWanted: factConditionsOf(conditions), missing, ...hidden };
}

/** Each role's rank in these groups, as read for `missingGroups` a moment ago. */
async function ranksOfRoles(groupIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const groups = await Promise.all(groupIds.map((groupId) => readGameGroup(groupId)));
  return new Map(groups.flatMap((group) => group?.roles ?? []).map(({ gameRoleId, rank }) => [gameRoleId, rank]));
}

/** The key for a guild's present rules. Throws Conflict `busy` during their change. */
export async function readRulesKey(guild: Pick<Guild, '_id' | 'plan'>): Promise<string> {
  const rules = await readStoredRules(guild);
  requireWhole(rules);
  return rulesKeyOf(rules);
}

/** The rules for callers that change members by them. Throws Conflict `busy` during their change. */
export async function readWholeRules(guild: Pick<Guild, '_id' | 'plan'>): Promise<GuildRules> {
  const rules = await readRules(guild);
  requireWhole(rules);
  return rules;
}

/** Throws Conflict `busy` while several writes change the rules, so that no sync uses half. */
export function requireWhole({ inChange = false }: Pick<GuildRules, 'inChange'>): void {
  if (inChange) throw new RulesInChange();
}

/** A key from everything that a guild's plans depend on, except people and platforms. It changes with the rules. */
export function rulesKeyOf(stored: Omit<StoredRules, 'gone'>): string {
  const { mappings, pausedRoleIds, settings, restrictionsCeiling: ceiling } = stored;
  const { nickname, unlink, bypass, restrictions, waitForRules, mode } = settings;
  const rules = mappings.map(({ condition, roleIds, removeWhenUnmatched, confirmedDangers, nickname = null }) => [
    condition,
    roleIds,
    removeWhenUnmatched,
    confirmedDangers,
    ...(nickname === null ? [] : [nickname]),
  ]);
  return createHash('sha256')
    .update(
      JSON.stringify({
        ...{ rules, pausedRoleIds, nickname, unlink, bypass, restrictions, waitForRules },
        ...(ceiling && { ceiling }),
        ...(mode === 'observe' && { mode }),
      }),
    )
    .digest('base64url');
}

/** The mappings that give a nickname, by their order. Takes them oldest first. */
function namingAmong(mappings: readonly MappingRule[]): NamingRule[] {
  return mappings
    .flatMap((mapping) => (mapping.nickname ? { ...mapping, nickname: mapping.nickname } : []))
    .sort((a, b) => a.nickname.order - b.nickname.order);
}

interface StoredRules
  extends Pick<GuildRules, 'mappings' | 'pausedRoleIds' | 'settings' | 'restrictionsCeiling' | 'inChange'> {
  /** The attached groups that were unknown to Roblox at its last answer. */
  gone: ReadonlySet<string>;
}

/** Reads the stored part of a guild's rules; `draft` replaces it. `snapshot`: the stored rules, if just read. */
export async function readStoredRules(
  { _id: guildId, plan }: Pick<Guild, '_id' | 'plan'>,
  draft: RulesDraft = {},
  snapshot?: RulesSnapshot,
): Promise<StoredRules> {
  const stored = snapshot ?? (await readRulesSnapshot(guildId));
  // Confirmations count for stored mappings only. A draft shows the state after an admin's confirmation.
  const enabled = draft.mappings ?? stored.enabled.map((mapping) => ({ confirmedDangers: [], ...mapping }));
  const { attached } = stored;
  const drafted = draft.settings && { ...draft.settings, inChange: false };
  const { settings, restrictionsCeiling, inChange = false } = drafted ?? stored.settings;
  const { inForce, paused } = partByPlan(plan, enabled, attached.all);
  const pausedOnes = paused.map(({ mapping }) => mapping);
  const expand = mapsWholeGroup(enabled)
    ? await readExpansion(guildId, stored.enabled)
    : (rules: readonly MappingRule[]) => rules;
  const pausedRoleIds = [...new Set(expand(pausedOnes).flatMap(({ roleIds }) => roleIds))];
  const rules = { mappings: expand(inForce), pausedRoleIds, settings, restrictionsCeiling, inChange };
  return { ...rules, gone: attached.gone };
}

/**
 * How whole-group mappings expand, by ranks and roles that are at most five minutes old. A rank's first role is
 * remembered before a sync can give it (MAP-7).
 */
async function readExpansion(
  guildId: string,
  stored: readonly Mapping[],
): Promise<(rules: readonly MappingRule[]) => readonly MappingRule[]> {
  const [facts, attached] = await Promise.all([readGuildFacts(guildId), findGroups(guildId)]);
  const names = { facts, groups: await Promise.all(attached.map(refreshedForDisplay)) };
  await rememberPairs(stored, names);
  return (rules) => expanded(rules, names);
}

type RemovalLimit = GuildSettings['massRemoval'];

/** The most people that may lose roles without an admin's confirmation (RESYNC-9), out of `members`. Pure. */
export function mostLosing(members: number, { people, sharePercent }: RemovalLimit): number {
  return Math.max(people - 1, Math.floor((Math.max(1, members) * sharePercent) / 100));
}

/** Whether the count of members losing roles needs an admin's confirmation. Pure. */
export const isMassRemoval = (losing: number, members: number, limit: RemovalLimit): boolean =>
  losing > mostLosing(members, limit);

/**
 * The groups among `groupIds` that Roblox does not know (any more). `checkedFor`: the guild whose read share is used.
 * Throws GamePlatformUnavailable, RateLimited with `checkedFor`.
 */
export async function missingGroups(
  groupIds: readonly string[],
  { fresh = false, checkedFor }: { fresh?: boolean; checkedFor?: string | undefined } = {},
): Promise<Set<string>> {
  const read = (groupId: string) =>
    checkedFor === undefined ? readGameGroup(groupId, { fresh }) : checkGroup(checkedFor, groupId, { fresh });
  const groups = await Promise.all(groupIds.map(async (groupId) => ({ groupId, group: await read(groupId) })));
  return new Set(groups.filter(({ group }) => group === null).map(({ groupId }) => groupId));
}
