import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { push } from '../../platforms/events/outbox.js';
import { type Member, Members } from '../members/member-model.js';
import type { StoredAccount } from './account-model.js';

/**
 * Stores one server's choice. A person who hid their account there shows this one. Returns the member then; null if the
 * server does not know them.
 */
export async function choose(
  { guildId, chatUserId, chatUsername, consent, state }: Member,
  gameUserId: string,
  person: Actor,
): Promise<Member | null> {
  const entry = newEntry({
    guildId,
    actor: person,
    action: 'consent.given',
    target: { kind: 'member', id: chatUserId, name: chatUsername },
    changes: { consent: { from: consent ?? null, to: 'given' } },
  });
  const isNews = consent !== 'given' && state !== 'linked';
  const $set = { chosenGameUserId: gameUserId, ...(isNews && { consent: 'given' as const }) };
  const there = { guildId, chatUserId, state: trusted({ $exists: true }) };
  const chosen = await Members.update(there, { $set, ...(isNews && push(entry)) });
  if (chosen !== null && isNews) await enterLog(entry);
  return chosen;
}

/** Stores a killed process's choice, unless the person has answered, chosen or proved otherwise there since. */
export async function completeChoice(
  member: Member,
  accounts: readonly StoredAccount[],
  { account, mark }: { account: StoredAccount; mark: NonNullable<StoredAccount['unsettled']> },
): Promise<Member> {
  const { guildId, consent, chosenGameUserId } = member;
  const { gameUserId = chosenGameUserId } = account;
  if (gameUserId === chosenGameUserId || gameUserId === undefined || !mark.chosenFor?.includes(guildId)) return member;
  const isNewer = ({ unsettled }: StoredAccount): boolean =>
    unsettled !== undefined &&
    unsettled.since > mark.since &&
    (unsettled.provenIn === guildId || unsettled.chosenFor?.includes(guildId) === true);
  if (consent === 'refused' || accounts.some(isNewer)) return member;
  return (await choose(member, gameUserId, { ...mark.actor, role: null, platformAdmin: false })) ?? member;
}
