import { trusted } from 'mongoose';
import { type Teammate, Teammates } from '../../core/access/teammate-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import { snowflake } from '../../lib/ids.js';
import { readMember } from '../../platforms/discord/guild-members.js';
import { readDiscordAdmins } from './discord-admins.js';
import { type ListedTeammate, withDiscord } from './teammate-view.js';

/**
 * A page with a guild's team by id: the owner, invited people, and admins by Discord's permissions as far as
 * `readDiscordAdmins` finds them. Throws ChatPlatformUnavailable.
 */
export async function listTeam(guild: Guild, { limit, cursor }: PageQuery): Promise<Page<ListedTeammate>> {
  const after = decodeCursor(snowflake, cursor) ?? '';
  const behind = { guildId: guild._id, chatUserId: trusted({ $gt: after }) };
  const given = await Teammates.find(behind, { sort: { chatUserId: 1 }, limit: limit + 1, hint: teammatesInOrder });
  const team = await countInDiscord(guild, given);
  const inOrder = team.filter(({ chatUserId }) => chatUserId > after).sort(byId);
  return pageOf(inOrder.slice(0, limit + 1), limit, ({ chatUserId }) => chatUserId);
}

const teammatesInOrder = { guildId: 1, chatUserId: 1 } as const;

const byId = (a: ListedTeammate, b: ListedTeammate): number => (a.chatUserId < b.chatUserId ? -1 : 1);

/** The given teammates, the admins by Discord and the owner; each once, with their highest role. */
async function countInDiscord(guild: Guild, given: readonly Teammate[]): Promise<ListedTeammate[]> {
  const admins = await readDiscordAdmins(guild);
  const adminIds = new Set(admins.map(({ chatUserId }) => chatUserId));
  const team = new Map<string, ListedTeammate>();
  for (const admin of admins) team.set(admin.chatUserId, { ...admin, role: 'admin', source: 'discord_permission' });
  for (const teammate of given) {
    const isAdmin = adminIds.has(teammate.chatUserId);
    team.set(teammate.chatUserId, withDiscord(teammate, isAdmin ? 'admin' : null));
  }
  const { ownerId: chatUserId } = guild;
  const username = (team.get(chatUserId) ?? (await readMember(guild._id, chatUserId)))?.username ?? null;
  team.set(chatUserId, { ...team.get(chatUserId), chatUserId, username, role: 'owner', source: 'discord_owner' });
  return [...team.values()];
}
