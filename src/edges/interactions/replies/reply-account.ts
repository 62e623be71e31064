import { TimestampStyles, time, userMention } from 'discord.js';
import type { Member } from '../../../features/members/member-service.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { pressable } from '../commands/command-mention.js';
import { nameWithLink } from './reply.js';

/** A Roblox account's name, linked to its profile. */
export function gameAccount({ gameUserId, gameUsername }: { gameUserId: string; gameUsername: string }): string {
  return nameWithLink(gameUsername, `https://www.roblox.com/users/${gameUserId}/profile`);
}

/** The account that a person has linked in a guild. `own`: the person is asking about themselves. */
export function describeMember(chatUserId: string, member: Member | null, own: boolean): string {
  const { gameUserId, gameUsername, gameDisplayName, linkedAt, syncs = [] } = member ?? {};
  const person = userMention(chatUserId);
  if (!gameUserId || !gameUsername || !linkedAt)
    return own ? pressable('account.none_own') : t('account.none', { person });
  const lastSync = syncs.at(-1);
  const lines = [
    t('account.linked', { person, account: gameAccount({ gameUserId, gameUsername }) }),
    ...(gameDisplayName !== gameUsername ? [t('account.display_name', { name: verbatim(gameDisplayName ?? '') })] : []),
    t('account.since', { when: time(linkedAt, TimestampStyles.LongDate) }),
    ...(lastSync ? [t('account.last_sync', { when: time(lastSync.at, TimestampStyles.RelativeTime) })] : []),
  ];
  return lines.join('\n');
}
