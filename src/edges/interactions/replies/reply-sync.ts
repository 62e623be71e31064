import { roleMention } from 'discord.js';
import { roleInGuild } from '../../../core/access/guild-access.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { findMember } from '../../../features/members/member-service.js';
import { describeRestriction } from '../../../features/sync/member/restriction-words.js';
import type { SyncResult } from '../../../features/sync/member/sync-result.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { describeObstacle } from '../../../platforms/discord/role-hierarchy.js';
import type { Entrance } from '../commands/command-access.js';
import { pressable } from '../commands/command-mention.js';
import { note, type Reply, type StateColor } from './reply.js';
import { describeMember } from './reply-account.js';

const nicknameObstacles: Record<NonNullable<SyncResult['nicknameBlocked']>, TextKey> = {
  guild_owner: 'sync.nickname_guild_owner',
  member_above_bot: 'sync.nickname_member_above_bot',
  missing_permission: 'sync.nickname_missing_permission',
  refused_by_discord: 'sync.nickname_refused_by_discord',
};

/** The line in each reply about roles in a guild that only observes (OBS-8); none in another. */
export const observingLine = ({ mode }: Pick<GuildSettings, 'mode'>): string[] =>
  mode === 'observe' ? [t('sync.observed')] : [];

/**
 * Describes a sync's result in a guild, one line per change kind, then its obstacles. The team sees one line per
 * obstacle with its remedy (SYNC-24). Others see only that there are obstacles (DISC-9). Throws
 * ChatPlatformUnavailable.
 */
export async function describeSync(entrance: Entrance, sync: SyncResult): Promise<string> {
  const { added, removed, nickname, restriction, kicked } = sync;
  if (sync.observed) return t('sync.observed');
  if (sync.leftOut) return t('sync.left_out');
  const lines = [
    ...(added.length > 0 ? [t('sync.added', { roles: mentions(added) })] : []),
    ...(removed.length > 0 ? [t('sync.removed', { roles: mentions(removed) })] : []),
    ...(nickname === null ? [t('sync.nickname_removed')] : []),
    ...(typeof nickname === 'string' ? [t('sync.nickname', { nickname: verbatim(nickname) })] : []),
  ];
  if (lines.length === 0 && stateOfSync(sync) === 'fine') lines.push(pressable('sync.nothing'));
  if (sync.waitsForRules) lines.unshift(t('sync.waits_for_rules'));
  if (sync.inventoryPrivate) lines.unshift(pressable('why.inventory_private'));
  if (restriction !== null) {
    const { restrictions } = await readSettings(entrance.guild._id);
    const why = describeRestriction(restriction, restrictions);
    lines.unshift(t(kicked ? 'sync.kicked' : 'sync.restricted', { why }));
  }
  return [...lines, ...(await obstacles(entrance, sync))].join('\n');
}

export function stateOfSync(sync: SyncResult): StateColor {
  const { blocked, nicknameBlocked, inventoryPrivate, waitsForRules, restriction } = sync;
  if (sync.observed || sync.leftOut) return 'neutral';
  const isBlocked = blocked.length > 0 || nicknameBlocked !== null;
  const isHeldBack = isBlocked || inventoryPrivate || waitsForRules || restriction !== null;
  return isHeldBack ? 'attention' : 'fine';
}

/**
 * The answer to /update: first the reason if the person is not verified here, with the next step, then the changes.
 * Throws ChatPlatformUnavailable.
 */
export async function updatedReply(entrance: Entrance, chatUserId: string, sync: SyncResult): Promise<Reply> {
  const member = await findMember(entrance.guild._id, chatUserId);
  if (member?.state === 'linked') return note(stateOfSync(sync), await describeSync(entrance, sync));
  const reason = describeMember(chatUserId, member, chatUserId === entrance.actor.id);
  const hasChanged = sync.added.length + sync.removed.length > 0 || sync.nickname !== undefined;
  const isBlocked = stateOfSync(sync) !== 'fine';
  const words = hasChanged || isBlocked ? [reason, await describeSync(entrance, sync)] : [reason];
  return note('attention', words.join('\n'));
}

async function obstacles({ guild, actor }: Entrance, sync: SyncResult): Promise<string[]> {
  const { blocked, nicknameBlocked } = sync;
  if (blocked.length === 0 && nicknameBlocked === null) return [];
  const isOfTeam = (actor.role ?? (await roleInGuild(actor, guild))) !== null;
  if (!isOfTeam) {
    return [
      ...(blocked.length > 0 ? [t('sync.roles_kept', { count: blocked.length })] : []),
      ...(nicknameBlocked === null ? [] : [t('sync.nickname_kept')]),
    ];
  }
  const facts = await readGuildFacts(guild._id);
  return [
    ...blocked.map(({ roleId, reason, detail }) => verbatim(describeObstacle(facts, roleId, reason, detail))),
    ...nicknameObstacle(sync),
  ].map((why) => t('sync.blocked', { why }));
}

/** The reason for an unchanged nickname, for the team. */
export function nicknameObstacle({
  nicknameBlocked,
  nicknameRefused,
}: Pick<SyncResult, 'nicknameBlocked' | 'nicknameRefused'>): string[] {
  if (nicknameBlocked === null) return [];
  const { nickname = null, detail = '' } = nicknameRefused ?? {};
  const named = nickname === null ? t('sync.no_nickname') : verbatim(nickname);
  return [t(nicknameObstacles[nicknameBlocked], { nickname: named, words: verbatim(detail) })];
}

const mentions = (roleIds: readonly string[]): string => roleIds.map((id) => roleMention(id)).join(', ');
