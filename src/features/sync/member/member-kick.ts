import { enterLog, newEntry } from '../../../core/audit/audit-service.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { t, withLocale } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { sendDirectMessage } from '../../../platforms/discord/direct-messages.js';
import { kickMember } from '../../../platforms/discord/member-writes.js';
import { memberKicked, noteKickTold } from '../../members/member-service.js';
import type { MemberChange } from './member-change.js';
import { describeRestriction } from './restriction-words.js';

/**
 * Kicks somebody for a restriction (SPEC §6.13), under their lease: they are told why first, while Discord still lets the
 * bot write to them. They may come back. Throws as the writes of a sync do.
 */
export async function kickOut(
  { guildId, chatUserId, cause, lease }: Pick<MemberChange, 'guildId' | 'chatUserId' | 'cause' | 'lease'>,
  { guildName, chatUsername, rule }: { guildName: string; chatUsername: string; rule: RestrictionRule },
): Promise<void> {
  const { locale, restrictions } = await readSettings(guildId);
  lease.requireHeld();
  const words = withLocale(locale, () => {
    const why = describeRestriction(rule, restrictions);
    return t('restriction.kicked', { guild: verbatim(guildName), why });
  });
  if (await noteKickTold(guildId, chatUserId)) await sendDirectMessage(chatUserId, words);
  const reason = `Restricted here: ${rule}`;
  await kickMember(guildId, chatUserId, { reason, beforeSending: () => lease.requireHeld() });
  const entry = newEntry({
    guildId,
    actor: cause.actor,
    action: 'member.kicked',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: { reason: { from: null, to: rule } },
  });
  await memberKicked(guildId, chatUserId, entry);
  await enterLog(entry);
}
