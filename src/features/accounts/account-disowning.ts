import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { type AuditEntry, AuditLog } from '../../core/audit/audit-model.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { NotFound } from '../../lib/errors.js';
import { ofPerson } from './account-model.js';
import { isSomebodyElse, sendNotices } from './account-notices.js';
import { dropAll } from './account-service.js';
import { settleAccount } from './account-settling.js';

/**
 * "It was not me": records that another actor changed a person's account against their will. If the change gave them
 * `gameUserId`, the link to it ends; no other change can be undone here. Returns whether the link ended. Each change is
 * recorded once. Throws NotFound `nothing_to_answer` if only the person has changed the account.
 */
export async function disownAccount(gameUserId: string, person: Actor): Promise<boolean> {
  const disowned = entryOfDisowning(gameUserId, person);
  const change = { reason: 'self', actor: person, entries: [disowned] } as const;
  const ended = await dropAll({ ...ofPerson(person.id), gameUserId }, change);
  if (ended.length === 0) {
    if ((await lastEntryOf(gameUserId, person.id)) === 'changed') await enterLog(disowned);
    return false;
  }
  await settleAccount(person.id);
  void sendNotices(person.id);
  return true;
}

/** Maximum log entries read for one person: more than an account gets in a year. */
const mostEntries = 1_000;

/** The newest log entry about a person's Roblox account: a change by another actor, or its rejection. */
async function lastEntryOf(gameUserId: string, chatUserId: string): Promise<'changed' | 'disowned'> {
  const about = { 'target.id': chatUserId, action: trusted({ $in: [...telling] }) };
  const entries = AuditLog.acrossGuilds.find(about).limit(mostEntries).lean<AuditEntry[]>();
  const ofAccount = (await entries).filter(({ changes }) => {
    const { from, to } = changes?.gameUserId ?? {};
    return from === gameUserId || to === gameUserId;
  });
  const byOthers = ofAccount
    .filter(({ action, actor }) => action === 'account.disowned' || isSomebodyElse(actor, chatUserId))
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1));
  const [last] = byOthers;
  if (last === undefined) throw new NotFound('nothing_to_answer', 'Nobody else has changed your account.');
  return last.action === 'account.disowned' ? 'disowned' : 'changed';
}

const telling = ['account.linked', 'account.unlinked', 'account.disowned'] as const;

/** The log entry by which `owner` rejects another actor's change to their account. */
export function entryOfDisowning(gameUserId: string | null, owner: Actor): NewEntry {
  return newEntry({
    guildId: null,
    actor: owner,
    action: 'account.disowned',
    target: { kind: 'account', id: owner.id, name: owner.name },
    changes: { gameUserId: { from: gameUserId, to: null } },
  });
}
