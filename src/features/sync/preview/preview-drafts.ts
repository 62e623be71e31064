import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../core/actors/actor.js';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { plans } from '../../../core/plans/plans.js';
import { PlanLimitReached } from '../../../lib/errors.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { checkGroup } from '../../../platforms/roblox/group-checks.js';
import type { Condition } from '../../mappings/condition.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import { type Mapper, mapperOf, requireMeaningful, requireRolesBelow } from '../../mappings/mapping-rules.js';
import { listAllMappings, type Mapping, mappingIn, ruleKey } from '../../mappings/mapping-service.js';
import { byAge } from '../../mappings/mappings-picture.js';
import type { MappingRule } from '../plan/guild-rules.js';

/** One mapping as it would be, among all that are stored: a new one, or one in the place of `mappingId`. */
export interface MappingChange {
  mappingId?: string | undefined;
  mapping: MappingDraft;
}

/**
 * The rules made by drafts in place of all stored mappings. They must meet the rules of stored mappings, but may use
 * roles beyond the bot's reach: the preview shows those as blocked. Nothing read is stored.
 * Throws PlanLimitReached, Forbidden for roles that the actor does not stand above on Discord, InvalidRequest with
 * every issue, GamePlatformUnavailable, and ChatPlatformUnavailable.
 */
export async function rulesOfDrafts(
  guild: Guild,
  actor: Actor,
  drafts: readonly MappingDraft[],
): Promise<MappingRule[]> {
  requireRoom(guild, drafts.length);
  const stored = await listAllMappings(guild._id);
  const { ceilingRoleId } = await requireInReach(guild, actor, drafts, stored);
  await requireConditions(
    guild,
    drafts.map(({ condition }, index) => ({ at: `mappings.${index}.condition`, condition })),
  );
  return drafts.filter(({ enabled }) => enabled).map((draft) => ({ ...draft, ceilingRoleId }));
}

/**
 * The rules made by one changed mapping with all others as stored. It must meet the same rules as drafts; a condition
 * that it has already may stay. Throws likewise, and NotFound `mapping_not_found`.
 */
export async function rulesOfChange(
  guild: Guild,
  actor: Actor,
  { mappingId, mapping }: MappingChange,
): Promise<MappingRule[]> {
  const stored = (await listAllMappings(guild._id)).sort(byAge);
  const before = mappingId === undefined ? undefined : mappingIn({ mappings: stored }, mappingId);
  if (before === undefined) requireRoom(guild, stored.length + 1);
  const { ceilingRoleId } = await requireInReach(guild, actor, [mapping], stored);
  const { condition } = mapping;
  const isKept = isDeepStrictEqual(condition, before?.condition);
  if (!isKept) await requireConditions(guild, [{ at: 'change.mapping.condition', condition }]);
  const draft = { ...mapping, ceilingRoleId };
  // A confirmation counts for stored mappings only.
  const others = stored.map((each) => (each === before ? draft : { confirmedDangers: [], ...each }));
  return [...others, ...(before === undefined ? [draft] : [])].filter(({ enabled }) => enabled);
}

function requireRoom({ plan }: Guild, wanted: number): void {
  const limit = plans[plan].mappings;
  if (wanted <= limit) return;
  throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
}

/** Drafts may use roles that the guild has mapped already, for any actor. */
async function requireInReach(
  { _id }: Guild,
  actor: Actor,
  drafts: readonly MappingDraft[],
  stored: readonly Mapping[],
): Promise<Mapper> {
  const facts = await readGuildFacts(_id);
  const there = new Set(stored.map(ruleKey));
  const fresh = drafts.filter((draft) => !there.has(ruleKey(draft)));
  const roleIds = new Set(fresh.flatMap((draft) => draft.roleIds));
  const mapper = await mapperOf(actor, facts);
  requireRolesBelow(facts, mapper, [...roleIds]);
  return mapper;
}

async function requireConditions({ _id }: Guild, conditions: readonly { at: string; condition: Condition }[]) {
  await requireMeaningful(conditions, await findGroups(_id), async (group) => {
    const now = await checkGroup(_id, group.groupId, { fresh: true });
    return now === null ? group : { ...group, roles: now.roles };
  });
}
