import { systemActor } from '../../core/actors/actor.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { type Member, Members } from '../members/member-model.js';
import { announceSync } from '../members/pending-syncs.js';
import { linkKnownMember } from './account-settling.js';

// Accounts that are too young for a guild, or have an unknown age, are linked later (SET-1).

/** A kill, or our own fault, delays a late link by this time. */
const lateLinkMs = 10 * minuteMs;
const dueLinks = pending<Member>(Members.acrossGuilds, 'linkDueAt', {
  what: 'late link',
  index: { linkDueAt: 1 },
  claimMs: lateLinkMs,
  longestMs: dayMs,
});
const lateLinks = new SeparateWork('late_links');

/** Links members with accounts that had to get older, or that had an unknown age (SET-1). */
export async function linkDueMembers(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const member = await dueLinks.claimNext();
    if (member === null) return;
    await lateLinks.on(`${member.guildId} ${member.chatUserId}`, () => linkDueMember(member));
  }
}

/** An account that is still too young gets a later time instead. */
async function linkDueMember(member: Member): Promise<void> {
  if (await linkKnownMember(member.guildId, member.chatUserId, systemActor('account-age')))
    announceSync(member, 'link');
  await dueLinks.complete(member);
}
