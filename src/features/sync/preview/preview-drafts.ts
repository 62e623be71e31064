import type { Actor } from '../../../core/actors/actor.js';
import { authorOf, type RuleAuthor } from '../../../core/actors/reach.js';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { plans } from '../../../core/plans/plans.js';
import { InvalidRequest, PlanLimitReached } from '../../../lib/errors.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { checkGroup } from '../../../platforms/roblox/group-checks.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import { judgeDraft, judgeReach, type Refusal, type Snapshot, throwFirst } from '../../mappings/mapping-rules.js';
import { listAllMappings, type Mapping, mappingIn, renewGroups, ruleKey } from '../../mappings/mapping-service.js';
import { byAge } from '../../mappings/mappings-snapshot.js';
import type { MappingRule } from '../plan/guild-rules.js';

/** A changed mapping among all stored ones: a new one, or one in place of `mappingId`. */
export interface MappingChange {
  mappingId?: string | undefined;
  mapping: MappingDraft;
}

/**
 * The rules made by drafts in place of all stored mappings. They must meet stored mappings' rules, but may use roles
 * beyond the bot's reach: the preview shows those as blocked. Nothing read is stored.
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
  const asked = drafts.map((draft, index) => ({ at: `mappings.${index}`, draft }));
  const { ceilingRoleId } = await requirePreviewable(guild, actor, asked, stored);
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
  const asked = [{ at: 'change.mapping', draft: mapping, before }];
  const { ceilingRoleId } = await requirePreviewable(guild, actor, asked, stored);
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

interface AskedDraft {
  at: string;
  draft: MappingDraft;
  before?: Mapping | undefined;
}

/**
 * Holds drafts to the mapper's reach and to their conditions, each collected over all drafts. The guild's mappings may
 * be among them, for any caller.
 */
async function requirePreviewable(
  { _id }: Guild,
  actor: Actor,
  asked: readonly AskedDraft[],
  stored: readonly Mapping[],
): Promise<RuleAuthor> {
  const facts = await readGuildFacts(_id);
  const there = new Set(stored.map(ruleKey));
  const mapper = await authorOf(actor, facts);
  const fresh = asked.filter(({ draft }) => !there.has(ruleKey(draft)));
  const roleIds = new Set(fresh.flatMap(({ draft }) => draft.roleIds));
  throwFirst(ofKind('above', judgeReach(facts, mapper, [...roleIds])), facts);
  const groups = await findGroups(_id);
  const { outdated, issues } = conditionsAmong(asked, { facts, groups }, mapper);
  if (issues.length === 0) return mapper;
  const renewed = await renewGroups(groups, outdated, async (group) => {
    const now = await checkGroup(_id, group.groupId, { fresh: true });
    return now === null ? group : { ...group, roles: now.roles };
  });
  const left = conditionsAmong(asked, { facts, groups: renewed }, mapper).issues;
  if (left.length > 0) throw new InvalidRequest(left);
  return mapper;
}

const ofKind = <K extends Refusal['kind']>(kind: K, refusals: readonly Refusal[]) =>
  refusals.filter((refusal): refusal is Extract<Refusal, { kind: K }> => refusal.kind === kind);

/** The issues in the drafts' conditions, and the groups that may resolve them if they are read again. */
function conditionsAmong(asked: readonly AskedDraft[], snapshot: Snapshot, mapper: RuleAuthor) {
  const found = asked.flatMap(({ at, draft, before }) =>
    ofKind('condition', judgeDraft(snapshot, mapper, draft, before)).map((refusal) => ({ at, ...refusal })),
  );
  const issues = found.flatMap(({ at, issues }) =>
    issues.map(({ path, message }) => ({ path: `${at}.${path}`, message })),
  );
  return { issues, outdated: [...new Set(found.flatMap(({ outdated }) => outdated))] };
}
