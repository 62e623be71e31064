import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../auth/actor.js';
import type { GrantableRole } from '../auth/team-roles.js';
import { config } from '../config.js';
import { verbatim } from '../discord/channel-messages.js';
import { sendDirectMessage } from '../discord/direct-messages.js';
import type { Guild } from '../guilds/guild-service.js';
import { t, withLocale } from '../locales/translate.js';
import { readSettings } from '../settings/settings-service.js';

/** How long whoever invites waits to hear whether the message has arrived; it may still arrive later. */
export const notifying = { waitMs: 3_000 };

/** Tells an invited person by direct message (SPEC §4), and says whether it is known to have arrived. */
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
