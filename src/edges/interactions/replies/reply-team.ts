import { userMention } from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { listTeam } from '../../../features/team/team-list.js';
import type { ListedTeammate } from '../../../features/team/teammate-view.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { list, type Reply } from './reply.js';
import { nextButton, pageSize } from './reply-lists.js';

/** One page from a guild's team. Throws InvalidRequest for a bad cursor, and ChatPlatformUnavailable. */
export async function teamPage(guild: Guild, cursor?: string): Promise<Reply> {
  const { data, nextCursor } = await listTeam(guild, { limit: pageSize, cursor });
  return list(t('team.title'), data.map(teammateLine), nextButton('team', nextCursor));
}

export function teammateLine({ chatUserId, username, role, source, given }: ListedTeammate): string {
  const person = username === null ? userMention(chatUserId) : `${userMention(chatUserId)} (${verbatim(username)})`;
  const from = source === 'invitation' && given?.state === 'invited' ? 'not_yet' : source;
  return t('team.line', { person, role, from: t(`team.from_${from}`) });
}
