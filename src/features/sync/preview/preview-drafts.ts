import type { Actor } from '../../../core/actors/actor.js';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { plans } from '../../../core/plans/plans.js';
import { InvalidRequest, PlanLimitReached } from '../../../lib/errors.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { type GameRole, readGameGroup } from '../../../platforms/roblox/game-groups.js';
import { type ConditionLeaf, leavesOf } from '../../mappings/condition.js';
import type { MappingDraft } from '../../mappings/mapping-draft.js';
import { mapperOf, requireRolesBelow } from '../../mappings/mapping-rules.js';
import { listAllMappings, ruleKey } from '../../mappings/mapping-service.js';

type GroupLeaf = Extract<ConditionLeaf['leaf'], { groupId: string }>;

/** A part of a draft's condition that names a group, and where in the request it stands. */
interface DraftLeaf {
  at: string;
  leaf: GroupLeaf;
}

/** The roles of the groups that are attached to the guild. */
type KnownRoles = Map<string, readonly GameRole[]>;

/**
 * Holds draft mappings of a "what if" to what stored ones are held to, but that roles may be out of the bot's reach:
 * the preview shows those as blocked. Unlike the check of stored ones it keeps nothing of what it reads.
 * Throws PlanLimitReached for more mappings than the guild's plan allows, Forbidden for roles that the actor does not
 * stand above on Discord, InvalidRequest with every issue (`mappings.0.condition.of.1.groupId`), GamePlatformUnavailable,
 * ChatPlatformUnavailable.
 */
export async function requireMeaningfulDrafts(
  { _id, plan }: Guild,
  actor: Actor,
  drafts: readonly MappingDraft[],
): Promise<void> {
  const limit = plans[plan].mappings;
  if (drafts.length > limit) {
    throw new PlanLimitReached(`The plan ${plan} allows ${limit} mappings.`, { resource: 'mappings', limit, plan });
  }
  await requireInReach(_id, actor, drafts);
  const leaves = drafts.flatMap(groupLeavesOf);
  const known: KnownRoles = new Map((await findGroups(_id)).map(({ groupId, roles }) => [groupId, roles]));
  await learnYoungRoles(leaves, known);
  const issues = leaves.flatMap(({ at, leaf }) => {
    const fault = faultOf(leaf, known.get(leaf.groupId));
    return fault === null ? [] : [{ path: `${at}.${fault.field}`, message: fault.message }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
}

/** What the guild has mapped already may stand among the drafts, whoever asks. */
async function requireInReach(guildId: string, actor: Actor, drafts: readonly MappingDraft[]): Promise<void> {
  const [facts, stored] = await Promise.all([readGuildFacts(guildId), listAllMappings(guildId)]);
  const there = new Set(stored.map(ruleKey));
  const fresh = drafts.filter((draft) => !there.has(ruleKey(draft)));
  const roleIds = new Set(fresh.flatMap((draft) => draft.roleIds));
  requireRolesBelow(facts, await mapperOf(actor, facts), [...roleIds]);
}

function groupLeavesOf({ condition }: MappingDraft, index: number): DraftLeaf[] {
  return leavesOf(condition).flatMap(({ path, leaf }) => {
    const at = `mappings.${index}.condition${path === '' ? '' : `.${path}`}`;
    return 'groupId' in leaf ? [{ at, leaf }] : [];
  });
}

/** A role that our copy of its group lacks may be younger than the copy: each such group is read once. */
async function learnYoungRoles(leaves: readonly DraftLeaf[], known: KnownRoles): Promise<void> {
  const unsure = leaves.flatMap(({ leaf }) => {
    const roles = known.get(leaf.groupId);
    return leaf.type === 'group_role' && roles && !roleAmong(roles, leaf.gameRoleId) ? [leaf.groupId] : [];
  });
  for (const groupId of new Set(unsure)) {
    const group = await readGameGroup(groupId, { fresh: true });
    if (group !== null) known.set(groupId, group.roles);
  }
}

function faultOf(leaf: GroupLeaf, roles: readonly GameRole[] | undefined): { field: string; message: string } | null {
  if (roles === undefined) return { field: 'groupId', message: 'is not a group that is attached to this guild' };
  if (leaf.type === 'group_rank' && leaf.max === 0) return { field: 'max', message: 'is rank 0, which nobody holds' };
  if (leaf.type !== 'group_role') return null;
  const role = roleAmong(roles, leaf.gameRoleId);
  if (role === undefined) return { field: 'gameRoleId', message: 'is not a role of this group' };
  return role.rank === 0 ? { field: 'gameRoleId', message: 'has rank 0, which nobody holds' } : null;
}

const roleAmong = (roles: readonly GameRole[], gameRoleId: string): GameRole | undefined =>
  roles.find((role) => role.gameRoleId === gameRoleId);
