import { GatewayIntentBits } from 'discord-api-types/v10';
import { z } from 'zod';
import type { DiscordState } from './discord-state.js';
import type { GatewaySession } from './gateway-session.js';
import { findMembers } from './member-search.js';
import type { StoredGuild, StoredMember } from './sandbox-model.js';
import { memberJson } from './wire.js';

const membersPerChunk = 1000;
/** How many members a request by prefix or by ids can bring. */
const mostByPrefix = 100;

const requestSchema = z.object({
  guild_id: z.string(),
  query: z.string().optional(),
  limit: z.int().min(0).default(0),
  user_ids: z.union([z.string().transform((id) => [id]), z.array(z.string()).max(mostByPrefix)]).optional(),
  nonce: z.string().max(32).optional(),
});

/**
 * Answers a request for guild members (opcode 8) with GUILD_MEMBERS_CHUNK events of up to 1000 members.
 * All members of a guild (empty query, limit 0) come only with the members intent. A bad request is not answered.
 */
export function sendMemberChunks(state: DiscordState, session: GatewaySession, data: unknown): void {
  const request = requestSchema.safeParse(data);
  if (!request.success) return;
  const { guild_id: guildId, user_ids: userIds, query, limit, nonce } = request.data;
  const guild = state.guilds.get(guildId);
  if (!guild || !state.hasBot(guild)) return;
  const everybody = query === '' && limit === 0;
  if (everybody && !(session.identity.intents & GatewayIntentBits.GuildMembers)) return;
  const members = userIds ? byIds(guild, userIds) : findMembers(state, guild, query ?? '', limit || Infinity);
  const missing = userIds?.filter((id) => !guild.members.has(id)) ?? [];
  const count = Math.max(1, Math.ceil(members.length / membersPerChunk));
  for (let index = 0; index < count; index += 1) {
    const page = members.slice(index * membersPerChunk, (index + 1) * membersPerChunk);
    session.send('GUILD_MEMBERS_CHUNK', {
      guild_id: guildId,
      members: page.map((member) => memberJson(state, member)),
      chunk_index: index,
      chunk_count: count,
      ...(missing.length > 0 ? { not_found: missing } : {}),
      ...(nonce === undefined ? {} : { nonce }),
    });
  }
}

function byIds(guild: StoredGuild, userIds: readonly string[]): StoredMember[] {
  return userIds.flatMap((id) => guild.members.get(id) ?? []);
}
