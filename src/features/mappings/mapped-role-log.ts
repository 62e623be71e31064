import { systemActor } from '../../core/actors/actor.js';
import type { AuditAction } from '../../core/audit/audit-actions.js';
import { type Changes, enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { withLocale } from '../../lib/translate.js';
import { withLease } from '../../platforms/database/lease.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { mayManageRoles } from '../../platforms/discord/permissions.js';
import { type BlockReason, describeObstacle, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { push } from '../../platforms/events/outbox.js';
import { type MappedRoleState, MappedRoleStates } from './mapped-role-state.js';
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
  /** `to` in words. */
  detail: string | null;
  mappings: readonly Mapping[];
}

/** The state of a guild, and the part of it that the log lacks. */
interface Standing {
  state: Omit<MappedRoleState, 'guildId'>;
  permissionChanged: boolean;
  news: RoleNews[];
}

/**
 * Logs the mapped roles that the bot can no longer give, with the reason, and those that it can give again: each change
 * once, in any process. `deleted` are the names of deleted roles. Throws Conflict `busy`, GoneFromDiscord,
 * ChatPlatformUnavailable.
 */
export async function logMappedRoles(guildId: string, deleted: ReadonlyMap<string, string> = new Map()): Promise<void> {
  if ((await readStanding(guildId, deleted)) === null) return;
  await withLease(`mapped-roles:${guildId}`, async () => {
    const standing = await readStanding(guildId, deleted);
    if (standing === null) return;
    const { state, permissionChanged, news } = standing;
    const entries = [
      ...(permissionChanged ? [entryOfPermission(guildId, state.mayManageRoles)] : []),
      ...news.map((role) => entryOfRole(guildId, role)),
    ];
    await MappedRoleStates.upsert({ guildId }, { $set: state, ...push(...entries) });
    await enterLog(...entries);
  });
}

async function readStanding(guildId: string, deleted: ReadonlyMap<string, string>): Promise<Standing | null> {
  const facts = await readGuildFacts(guildId);
  const [mapped, told] = await Promise.all([readMappedRoles(facts), MappedRoleStates.findOne({ guildId })]);
  return standingOf({ facts, mapped }, told, deleted);
}

/** Whether a guild's log needs an entry. `told`: the stored state. Pure. */
export const hasRoleNews = (guild: MappedGuild, told: MappedRoleState | null): boolean =>
  standingOf(guild, told, new Map()) !== null;

/** Null if there is nothing to log. Pure. */
function standingOf(
  { facts, mapped }: MappedGuild,
  told: MappedRoleState | null,
  deleted: ReadonlyMap<string, string>,
): Standing | null {
  if (mapped.size === 0) return null;
  const known: Obstacles = new Map(told?.obstacles.map(({ roleId, obstacle }) => [roleId, obstacle]));
  const roles = [...mapped].map(([roleId, mappings]): RoleNews => {
    const [from, to] = [known.get(roleId) ?? null, ownObstacle(facts, roleId, { known, mappings })];
    const name = facts.roles.get(roleId)?.name ?? deleted.get(roleId);
    // The log has one language, independent of the person that caused the entry.
    const detail = to === null ? null : withLocale('en', () => describeObstacle(facts, roleId, to));
    return { roleId, name, from, to, detail, mappings };
  });
  const obstacles = roles.flatMap(({ roleId, to }) => (to === null ? [] : [{ roleId, obstacle: to }]));
  const state = { mayManageRoles: mayManageRoles(facts.bot.permissions), obstacles };
  const permissionChanged = state.mayManageRoles !== (told?.mayManageRoles ?? true);
  const news = roles.filter(({ from, to }) => from !== to);
  return permissionChanged || news.length > 0 ? { state, permissionChanged, news } : null;
}

/** The obstacle of a role itself. Without the permission it can't be determined, so the stored one stays. */
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

function entryOfRole(guildId: string, { roleId, name, from, to, detail, mappings }: RoleNews): NewEntry {
  const named = mappings.map((mapping) => (mapping.name === null ? mapping._id : `${mapping.name} (${mapping._id})`));
  const changes: Changes = {
    obstacle: { from, to },
    ...(detail !== null && { detail: { from: null, to: detail } }),
    mappings: { from: null, to: named },
  };
  const target = { kind: 'role', id: roleId, ...(name !== undefined && { name }) };
  return newEntry({ guildId, actor: by, action: actionOf(to), target, changes });
}

function actionOf(obstacle: BlockReason | null): AuditAction {
  if (obstacle === null) return 'role.unblocked';
  return obstacle === 'role_deleted' ? 'role.deleted' : 'role.blocked';
}
