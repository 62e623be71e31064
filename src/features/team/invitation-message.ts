import { setTimeout as delay } from 'node:timers/promises';
import { config } from '../../config/config.js';
import type { Actor } from '../../core/actors/actor.js';
import type { GrantableRole } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { logger } from '../../lib/logger.js';
import { t, withLocale } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import { sendDirectMessage } from '../../platforms/discord/direct-messages.js';
import { readMember } from '../../platforms/discord/guild-members.js';
import { mayNotifyInvitee } from './notified-invitees.js';

/** How long the inviter waits to learn whether the message arrived. It may still arrive later. */
export const notifying = { waitMs: 3_000 };

/**
 * Sends an invited person a direct message (AUTH-46), at most one per day and guild. Only members get it, so that
 * unknown servers reach no one. Returns whether it is known to have arrived; never throws.
 */
export async function notifyInvitee(
  guild: Guild,
  inviter: Actor,
  { chatUserId, role }: { chatUserId: string; role: GrantableRole },
): Promise<boolean> {
  const answered = new AbortController();
  const late = delay(notifying.waitMs, false, { signal: answered.signal }).catch(() => false);
  const sent = send(guild, inviter, chatUserId, role).catch((err: unknown) => {
    logger.warn({ err, guildId: guild._id, chatUserId }, 'invitation not sent');
    return false;
  });
  try {
    return await Promise.race([sent, late]);
  } finally {
    answered.abort();
  }
}

async function send(guild: Guild, inviter: Actor, chatUserId: string, role: GrantableRole): Promise<boolean> {
  const { locale } = await readSettings(guild._id);
  if ((await readMember(guild._id, chatUserId)) === null) return false;
  if (!(await mayNotifyInvitee(guild._id, chatUserId))) return false;
  const words = withLocale(locale, () =>
    // A token's name may be any text that its creator wants strangers to read.
    t('team.invitation', {
      inviter: inviter.kind === 'user' ? `**${verbatim(inviter.name)}**` : t('team.a_token'),
      guild: verbatim(guild.name),
      role,
      may: t(`team.may_${role}`),
      url: config().publicUrl,
    }),
  );
  return sendDirectMessage(chatUserId, words);
}
