import { trusted } from 'mongoose';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { Signal } from '../../lib/signal.js';
import { minuteMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { waitsForConsent } from '../members/consent-rules.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { findMember } from '../members/member-service.js';
import { hasAccount } from './account-settling.js';

export type MessagedJoiner = Member & Required<Pick<Member, 'joinMessage'>>;

/** Discord recognises a repeated message for a few minutes only, and so a claim is short. */
const joinMessages = pending<Member, MessagedJoiner>(Members.acrossGuilds, 'joinMessage.dueAt', {
  what: 'join message',
  index: memberIndexes.joinMessage,
  claimMs: minuteMs,
  identity: 'joinMessage.id',
});
/** Discord limits a nonce to 25 characters. */
const nonceLength = 20;

const messagePending = new Signal();

export const onJoinMessagePending = messagePending.on;

/**
 * Enqueues the join message for a new unverified member, if the guild's settings ask for it. It is enqueued once per
 * join, however often the sync is tried. If their account is known but not shown automatically, they are asked for
 * consent, once for all guilds.
 */
export async function enqueueJoinMessage(guildId: string, chatUserId: string): Promise<void> {
  const settings = await readSettings(guildId);
  const asks = settings.reveal === 'ask' && (await isToBeAsked(guildId, chatUserId, settings));
  if (!asks && settings.joinMessage.to === 'none') return;
  const now = clock.now();
  const asking = asks && { asksConsent: true as const };
  const joinMessage = { id: newSecret().slice(0, nonceLength), since: now, dueAt: now, ...asking };
  const untold = { guildId, chatUserId, joinUntold: true as const, state: trusted({ $ne: 'linked' as const }) };
  const pending = await Members.update(untold, {
    $set: { joinMessage, ...(asks && { consentAskedAt: now }) },
    $unset: { joinUntold: 1 },
  });
  if (pending !== null) messagePending.emit();
}

async function isToBeAsked(guildId: string, chatUserId: string, settings: GuildSettings): Promise<boolean> {
  if (!(await hasAccount(guildId, chatUserId))) return false;
  const member = await findMember(guildId, chatUserId);
  if (member === null || member.consent !== undefined || member.consentAskedAt !== undefined) return false;
  return waitsForConsent(member, settings);
}

/** Claims the oldest due join message outside the guilds in `except`. After a crash it is due again in a minute. */
export function claimDueJoinMessage(except: readonly string[]): Promise<MessagedJoiner | null> {
  return joinMessages.claimNext({ where: { guildId: trusted({ $nin: [...except] }) } });
}

/** Completes a join message: sent, or no longer needed. */
export async function endJoinMessage(member: MessagedJoiner): Promise<void> {
  await joinMessages.complete(member);
}
