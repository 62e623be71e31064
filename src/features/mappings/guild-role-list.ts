import { z } from 'zod';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { NotFound } from '../../lib/errors.js';
import { snowflake } from '../../lib/ids.js';
import { type DiscordRole, type GuildFacts, isAbove, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { dangerousPermissions, permissionNames } from '../../platforms/discord/permissions.js';
import { describeObstacle, obstacleOfRole, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { type HoldersOf, shownHolders } from '../../platforms/discord/role-holders.js';
import { readMappedRoles } from './mapped-roles.js';
import type { Mapping } from './mapping-service.js';

/** A guild's Discord role, and whether the bot can hand it out (SYNC-24). */
export const guildRoleView = z
  .strictObject({
    roleId: z.string(),
    name: z.string(),
    position: z.int(),
    color: z.string().nullable().describe('#rrggbb; null for none.'),
    iconUrl: z.string().nullable(),
    managed: z.boolean().describe('Owned by an integration, a bot, Linked Roles or a subscription.'),
    permissions: z.array(z.string()).describe("By Discord's names."),
    assignable: z.boolean(),
    reason: obstacleOfRole.nullable().describe('Why it is not assignable.'),
    detail: z.string().nullable().describe('A sentence with the reason and the remedy.'),
    dangerous: z.array(z.string()).describe('Those of its permissions that make it dangerous to hand out.'),
    mappings: z.array(z.string()).describe('The ids of the mappings that name it.'),
    holders: z
      .int()
      .nullable()
      .exactOptional()
      .describe('Everyone with it, bots too, up to a minute old; null: not known, and of @everyone.'),
  })
  .meta({ id: 'GuildRole' });

/** The list's query. `holders`: whether its roles have their numbers, which Discord is asked for. */
export const roleListQuery = z.strictObject({
  holders: z.enum(['true', 'false']).default('false').describe('true: each role has its `holders`.'),
});

type GuildRoleView = z.input<typeof guildRoleView>;

/** A place in the role order; nothing else about a role matters for it. */
const place = z
  .strictObject({ roleId: snowflake, position: z.int() })
  .transform((at): DiscordRole => ({ ...at, name: '', managed: false, permissions: 0n }));

/**
 * A page with a guild's present Discord roles, highest first and @everyone last. Throws InvalidRequest for a bad
 * cursor, ChatPlatformUnavailable.
 */
export async function listGuildRoles(
  guildId: string,
  { limit, cursor, holders }: PageQuery & z.output<typeof roleListQuery>,
): Promise<Page<GuildRoleView>> {
  const after = decodeCursor(place, cursor);
  const asked = holders === 'true' ? shownHolders(guildId) : undefined;
  const facts = await readGuildFacts(guildId);
  const [mapped, holdersOf] = await Promise.all([readMappedRoles(facts), asked]);
  const behind = [...facts.roles.values()].filter((role) => after === undefined || isAbove(after, role));
  const found = behind.sort((a, b) => (isAbove(a, b) ? -1 : 1));
  const { data, nextCursor } = pageOf(found, limit, ({ roleId, position }) => ({ roleId, position }));
  return { data: data.map((role) => viewRole(role, { facts, mapped, holdersOf })), nextCursor };
}

/** A guild's present Discord role. Throws NotFound `role_not_found`, ChatPlatformUnavailable. */
export async function getGuildRole(guildId: string, roleId: string): Promise<GuildRoleView> {
  const [facts, holdersOf] = await Promise.all([readGuildFacts(guildId), shownHolders(guildId)]);
  const mapped = await readMappedRoles(facts);
  const role = facts.roles.get(roleId);
  if (role === undefined) throw new NotFound('role_not_found', 'There is no such role in this server.');
  return viewRole(role, { facts, mapped, holdersOf });
}

interface RoleFacts {
  facts: GuildFacts;
  mapped: ReadonlyMap<string, readonly Mapping[]>;
  holdersOf: HoldersOf | undefined;
}

function viewRole(role: DiscordRole, { facts, mapped, holdersOf }: RoleFacts): GuildRoleView {
  const { roleId, name, position, managed, permissions, color = 0, iconUrl = null } = role;
  const reason = roleObstacle(facts, roleId);
  return {
    roleId,
    name,
    position,
    color: color === 0 ? null : `#${color.toString(16).padStart(6, '0')}`,
    iconUrl,
    managed,
    permissions: permissionNames(permissions),
    assignable: reason === null,
    reason,
    detail: reason === null ? null : describeObstacle(facts, roleId, reason),
    dangerous: dangerousPermissions(permissions),
    mappings: (mapped.get(roleId) ?? []).map((mapping) => mapping._id),
    ...(holdersOf !== undefined && { holders: holdersOf(roleId) }),
  };
}
