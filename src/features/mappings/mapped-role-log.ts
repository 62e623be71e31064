import { LRUCache } from 'lru-cache';
import { systemActor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type Changes, enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { GuildRecord } from '../../core/guilds/guild-model.js';
import { minuteMs } from '../../lib/time.js';
import { withLocale } from '../../lib/translate.js';
import { withLease } from '../../platforms/database/lease.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { mayManageRoles } from '../../platforms/discord/permissions.js';
import {
  type BlockReason,
  describeObstacle,
  partsOfObstacle,
  roleObstacle,
} from '../../platforms/discord/role-hierarchy.js';
import { push } from '../../platforms/events/outbox.js';
import { findRoleStates, type MappedRoleState } from './mapped-role-state.js';
import { type MappedGuild, readMappedRoles } from './mapped-roles.js';
import type { Mapping } from './mapping-model.js';
import { heldRoleIds } from './mapping-status.js';

type Obstacles = ReadonlyMap<string, BlockReason>;

/** A mapped role with another obstacle than the log has. */
interface RoleNews {
  roleId: string;
  name: string | undefined;
  from: BlockReason | null;
  to: BlockReason | null;
  /** `to` in words, and the parts of these words. */
  detail: string | null;
  parts: ReturnType<typeof partsOfObstacle>;
  mappings: readonly Mapping[];
}

/** A guild's state, and the part that the log lacks. */
interface RoleChanges {
  state: Required<Omit<MappedRoleState, 'rolesKey'>>;
  permissionChanged: boolean;
  news: RoleNews[];
}

/** Role names by id, known only from their deletion events. Any comparison may be the first to log them. */
const deletedNames = new LRUCache<string, string>({ max: 1_000, ttl: 10 * minuteMs });

/** Logs that a role was deleted, if it is mapped, and whatever else the log lacks. Throws as `logMappedRoles` does. */
export function logDeletedRole(guildId: string, { id, name }: { id: string; name: string }): Promise<void> {
  deletedNames.set(id, name);
  return logMappedRoles(guildId);
}

/**
 * Logs the mapped roles that the bot can no longer give, with the reason, and those that it can give again: each change
 * once, in any process. Throws Conflict `busy`, GoneFromDiscord, ChatPlatformUnavailable.
 */
export async function logMappedRoles(guildId: string): Promise<void> {
  if ((await readRoleChanges(guildId)) === null) return;
  await withLease(`mapped-roles:${guildId}`, async () => {
    const changes = await readRoleChanges(guildId);
    if (changes === null) return;
    const { state, permissionChanged, news } = changes;
    const { mayManageRoles, obstacles } = state;
    const entries = [
      ...(permissionChanged ? [entryOfPermission(guildId, mayManageRoles)] : []),
      ...news.map((role) => entryOfRole(guildId, role)),
    ];
    const $set = { 'mappedRoles.mayManageRoles': mayManageRoles, 'mappedRoles.obstacles': obstacles };
    await GuildRecord.updateOne({ _id: guildId }, { $set, ...push(...entries) });
    await enterLog(...entries);
  });
}

async function readRoleChanges(guildId: string): Promise<RoleChanges | null> {
  const facts = await readGuildFacts(guildId);
  const [mapped, logged] = await Promise.all([readMappedRoles(facts), findRoleStates([guildId])]);
  return roleChangesOf({ facts, mapped }, logged.get(guildId) ?? null);
}

/** Whether a guild's log needs an entry. `logged`: the stored state. */
export const hasRoleNews = (guild: MappedGuild, logged: MappedRoleState | null): boolean =>
  roleChangesOf(guild, logged) !== null;

/** Null if there is nothing to log. */
function roleChangesOf({ facts, mapped }: MappedGuild, logged: MappedRoleState | null): RoleChanges | null {
  if (mapped.size === 0) return null;
  const known: Obstacles = new Map(logged?.obstacles?.map(({ roleId, obstacle }) => [roleId, obstacle]));
  const roles = [...mapped].map(([roleId, mappings]): RoleNews => {
    const [from, to] = [known.get(roleId) ?? null, ownObstacle(facts, roleId, { known, mappings })];
    const name = facts.roles.get(roleId)?.name ?? deletedNames.get(roleId);
    // The log has one language, whichever person caused the entry.
    const detail = to === null ? null : withLocale('en', () => describeObstacle(facts, roleId, to));
    return { roleId, name, from, to, detail, parts: partsOfObstacle(facts, roleId), mappings };
  });
  const obstacles = roles.flatMap(({ roleId, to }) => (to === null ? [] : [{ roleId, obstacle: to }]));
  const state = { mayManageRoles: mayManageRoles(facts.bot.permissions), obstacles };
  const permissionChanged = state.mayManageRoles !== (logged?.mayManageRoles ?? true);
  const news = roles.filter(({ from, to }) => from !== to);
  return permissionChanged || news.length > 0 ? { state, permissionChanged, news } : null;
}

/** A role's own obstacle. Without the permission it can't be determined, so the stored one stays. */
function ownObstacle(
  facts: GuildFacts,
  roleId: string,
  { known, mappings }: { known: Obstacles; mappings: readonly Mapping[] },
): BlockReason | null {
  const obstacle = roleObstacle(facts, roleId);
  if (obstacle === 'missing_permission') return known.get(roleId) ?? null;
  const isHeld = mappings.some((mapping) => heldRoleIds(mapping, facts).includes(roleId));
  return obstacle ?? (isHeld ? 'became_dangerous' : null);
}

const by = systemActor('mapped-roles');

function entryOfPermission(guildId: string, granted: boolean): NewEntry {
  return newEntry({
    guildId,
    actor: by,
    action: granted ? 'permission.granted' : 'permission.lost',
    target: { kind: 'permission', id: 'ManageRoles', name: 'Manage Roles' },
  });
}

function entryOfRole(guildId: string, { roleId, name, from, to, detail, parts, mappings }: RoleNews): NewEntry {
  const named = mappings.map((mapping) => (mapping.name === null ? mapping._id : `${mapping.name} (${mapping._id})`));
  const changes: Changes = {
    obstacle: { from, to },
    ...(detail !== null && { detail: { from: null, to: detail } }),
    ...(to === 'role_above_bot' && { botRoleName: { from: null, to: parts.botRoleName } }),
    ...(to === 'became_dangerous' && { permissions: { from: null, to: parts.permissions } }),
    mappings: { from: null, to: named },
  };
  const target = { kind: 'role', id: roleId, ...(name !== undefined && { name }) };
  return newEntry({ guildId, actor: by, action: actionOf(to), target, changes });
}

function actionOf(obstacle: BlockReason | null): AuditAction {
  if (obstacle === null) return 'role.unblocked';
  return obstacle === 'role_deleted' ? 'role.deleted' : 'role.blocked';
}
