import { setTimeout as delay } from 'node:timers/promises';
import { config } from '../../config.js';
import type { Actor } from '../../core/actors/actor.js';
import type { GrantableRole } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { t, withLocale } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import { sendDirectMessage } from '../../platforms/discord/direct-messages.js';

/** How long the inviter waits to learn whether the message arrived. It may still arrive later. */
export const notifying = { waitMs: 3_000 };

/** Sends an invited person a direct message (SPEC §4). Returns whether it is known to have arrived. */
export async function tellInvitee(
  guild: Guild,
  inviter: Actor,
  { chatUserId, role }: { chatUserId: string; role: GrantableRole },
): Promise<boolean> {
  const { locale } = await readSettings(guild._id);
  const words = withLocale(locale, () =>
    t('team.invitation', {
      inviter: verbatim(inviter.name),
      guild: verbatim(guild.name),
      role,
      may: t(`team.may_${role}`),
      url: config().publicUrl,
    }),
  );
  const answered = new AbortController();
  const late = delay(notifying.waitMs, false, { signal: answered.signal }).catch(() => false);
  try {
    return await Promise.race([sendDirectMessage(chatUserId, words), late]);
  } finally {
    answered.abort();
  }
}
