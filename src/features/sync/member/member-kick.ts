import { newEntry } from '../../../core/audit/audit-service.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { t, withLocale } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { sendDirectMessage } from '../../../platforms/discord/direct-messages.js';
import { kickMember } from '../../../platforms/discord/member-writes.js';
import { beginKick, endKick, noteKickTold } from '../../members/member-kicks.js';
import type { PendingSync } from '../../members/member-sync-fields.js';
import type { MemberChange } from './member-change.js';
import { describeRestriction } from './restriction-words.js';
import { passGate } from './write-gate.js';

/**
 * Kicks a member for a restriction (RESTR-9), under their lease. They get a message with the reason first, while
 * Discord still lets the bot write to them. They may come back. The kick is stored before Discord is asked, and
 * `pending` stays pending until the result is stored. Throws as a sync's writes do.
 */
export async function kickOut(
  change: Pick<MemberChange, 'guildId' | 'chatUserId' | 'cause' | 'lease' | 'gate'>,
  { guildName, chatUsername, rule }: { guildName: string; chatUsername: string; rule: RestrictionRule },
  pending: PendingSync,
): Promise<void> {
  const { guildId, chatUserId, cause, lease } = change;
  const whom = { guildId, chatUserId };
  const { locale, restrictions } = await readSettings(guildId);
  // The person stays counted if Discord refuses, since the kick is tried again.
  await passGate(change, true);
  const words = withLocale(locale, () => {
    const why = describeRestriction(rule, restrictions);
    return t('restriction.kicked', { guild: verbatim(guildName), why });
  });
  if (await noteKickTold(whom)) await sendDirectMessage(chatUserId, words);
  const entry = newEntry({
    guildId,
    actor: cause.actor,
    action: 'member.kicked',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: { reason: { from: null, to: rule } },
  });
  await beginKick(whom, { entry, pending, fence: lease.fence });
  const reason = `Restricted here: ${t(`log_reason.${rule}`)}`;
  await kickMember(guildId, chatUserId, { reason, beforeSending: () => passGate(change, true) });
  await endKick(whom, entry);
}
