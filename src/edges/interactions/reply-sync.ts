import { escapeMarkdown, roleMention } from 'discord.js';
import type { SyncResult } from '../../features/sync/member/member-sync.js';
import { type TextKey, t } from '../../lib/translate.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { describeObstacle } from '../../platforms/discord/role-hierarchy.js';

const nicknameObstacles: Record<NonNullable<SyncResult['nicknameBlocked']>, TextKey> = {
  guild_owner: 'sync.nickname_guild_owner',
  member_above_bot: 'sync.nickname_member_above_bot',
  missing_permission: 'sync.nickname_missing_permission',
};

/**
 * What a sync did in a guild, a line for each kind of change, then a line for each thing that the bot was kept from,
 * which says what to do about it (SPEC §6.4). Throws ChatPlatformUnavailable.
 */
export async function describeSync(guildId: string, sync: SyncResult): Promise<string> {
  const { added, removed, nickname, nicknameBlocked } = sync;
  const lines = [
    ...(added.length > 0 ? [t('sync.added', { roles: mentions(added) })] : []),
    ...(removed.length > 0 ? [t('sync.removed', { roles: mentions(removed) })] : []),
    ...(nickname === null ? [t('sync.nickname_removed')] : []),
    ...(typeof nickname === 'string' ? [t('sync.nickname', { nickname: escapeMarkdown(nickname) })] : []),
  ];
  if (lines.length === 0) lines.push(t('sync.nothing'));
  lines.push(...(await obstacles(guildId, sync.blocked)));
  if (nicknameBlocked !== null) lines.push(t('sync.blocked', { why: t(nicknameObstacles[nicknameBlocked]) }));
  return lines.join('\n');
}

async function obstacles(guildId: string, blocked: SyncResult['blocked']): Promise<string[]> {
  if (blocked.length === 0) return [];
  const facts = await readGuildFacts(guildId);
  return blocked.map(({ roleId, reason }) => t('sync.blocked', { why: describeObstacle(facts, roleId, reason) }));
}

const mentions = (roleIds: readonly string[]): string => roleIds.map((id) => roleMention(id)).join(', ');
