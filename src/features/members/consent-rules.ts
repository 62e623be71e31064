import type { GuildSettings } from '../../core/settings/guild-settings.js';
import type { Member } from './member-model.js';

// A guild sees a person's Roblox account only while they are linked there, so the rules for links are those for consent
// (ID-18).

/** Whether a known account is shown and used in a guild without a proof made there. */
export function linksByItself(
  { present, autoLinkBlocked, consent }: Pick<Member, 'present' | 'autoLinkBlocked' | 'consent'>,
  { autoLinkOnJoin, reveal }: Pick<GuildSettings, 'autoLinkOnJoin' | 'reveal'>,
): boolean {
  const isAllowed = consent === undefined ? reveal === 'auto' : consent === 'given';
  return autoLinkOnJoin && present && !autoLinkBlocked && isAllowed;
}

/** Whether only the person's answer is missing: no other obstacle blocks their link. */
export function waitsForConsent(
  member: Pick<Member, 'state' | 'present' | 'autoLinkBlocked' | 'consent'>,
  settings: Pick<GuildSettings, 'autoLinkOnJoin' | 'reveal'>,
): boolean {
  const isOpen = member.state !== 'linked' && !linksByItself(member, settings);
  return isOpen && linksByItself({ ...member, consent: 'given' }, settings);
}
