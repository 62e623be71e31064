import { z } from 'zod';

/** The used parts from Discord's REST answers (docs.discord.com, API v10). Additional fields are allowed. */

const id = z.string().regex(/^\d+$/);
const bits = z.string().regex(/^\d+$/).transform(BigInt);

const user = z.object({
  id,
  username: z.string(),
  avatar: z.string().nullish(),
  global_name: z.string().nullish(),
  primary_guild: z.object({ tag: z.string().nullish() }).nullish(),
  bot: z.boolean().optional(),
  system: z.boolean().optional(),
});
const member = z.object({
  user,
  nick: z.string().nullish(),
  roles: z.array(id),
  pending: z.boolean().nullish(),
  flags: z.int().nullish(),
});
const role = z.object({
  id,
  name: z.string(),
  position: z.int(),
  managed: z.boolean(),
  permissions: bits,
  color: z.int().nullish(),
  icon: z.string().nullish(),
  /** A tag counts as true if it is present, as null or as an id. */
  tags: z
    .object({
      guild_connections: z.unknown(),
      available_for_purchase: z.unknown(),
      subscription_listing_id: z.unknown(),
    })
    .partial()
    .nullish(),
});
/** Everyone with each role, by its id; @everyone is left out. */
export const roleHoldersAnswer = z.record(id, z.int().nonnegative()).describe('member counts of roles');
const overwrite = z.object({ id, type: z.int(), allow: bits, deny: bits });

/** Each schema's description is its name in the log. */
export const userAnswer = user.describe('user');
export const memberAnswer = member.describe('member');
export const createdRoleAnswer = role.describe('role');
export const memberPageAnswer = z.array(member).describe('members');
export const foundMembersAnswer = z.array(member).describe('found members');
export const guildAnswer = z.object({ owner_id: id, roles: z.array(role) }).describe('guild');
const channel = z.object({
  type: z.int(),
  guild_id: id.nullish(),
  permission_overwrites: z.array(overwrite).nullish(),
});
export const channelAnswer = channel.describe('channel');
export const channelsAnswer = z
  .array(channel.extend({ id, name: z.string(), position: z.int(), parent_id: id.nullish() }))
  .describe('channels');
export const messageAnswer = z.object({ id }).describe('message');
export const directChannelAnswer = z.object({ id }).describe('direct channel');
export const profileAnswer = z.object({ id, username: z.string(), avatar: z.string().nullable() }).describe('profile');
export const ownApplicationAnswer = z
  .object({
    id,
    name: z.string(),
    flags: z.int(),
    redirect_uris: z.array(z.string()),
    role_connections_verification_url: z.string().nullish(),
  })
  .describe('application');
const localizations = z.record(z.string(), z.string()).nullish();
/** The facts that servers can require by Linked Roles. */
export const roleRecordsAnswer = z
  .array(
    z.object({
      type: z.int(),
      key: z.string(),
      name: z.string(),
      name_localizations: localizations,
      description: z.string(),
      description_localizations: localizations,
    }),
  )
  .describe('role connection metadata');
export const userGuildsAnswer = z
  .array(
    z.object({
      ...{ id, name: z.string(), icon: z.string().nullish(), owner: z.boolean(), permissions: bits },
      approximate_member_count: z.int().nullish(),
    }),
  )
  .describe('guilds of a person');
/** Discord documents null for people without any. */
export const connectionsAnswer = z
  .array(
    z.object({
      id: z.string(),
      name: z.string().nullable(),
      type: z.string(),
      verified: z.boolean(),
      revoked: z.boolean().default(false),
    }),
  )
  .nullable()
  .describe('connections of a person');

export type MemberAnswer = z.output<typeof memberAnswer>;
export type RoleAnswer = z.output<typeof role>;
export type ChannelAnswer = z.output<typeof channelAnswer>;
