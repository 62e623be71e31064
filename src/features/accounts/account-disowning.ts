import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { type AuditEntry, AuditLog } from '../../core/audit/audit-model.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { NotFound } from '../../lib/errors.js';
import { dropGameAccount } from './account-ending.js';
import { isSomebodyElse, tellOfChanges } from './account-notices.js';
import { settleAccount } from './account-settling.js';
import { refuseImports } from './refused-imports.js';

/**
 * "It was not me": writes down that a person did not want a change of their account that somebody else made, and ends the
 * link to `gameUserId` if that is what they were given. Answers whether it did; nothing else can be undone by a press. It is
 * written down once for each change. Throws NotFound `nothing_to_answer` when nobody else has changed that account of theirs.
 */
export async function disownAccount(gameUserId: string, person: Actor): Promise<boolean> {
  const disowned = entryOfDisowning(gameUserId, person);
  await refuseImports(person.id, gameUserId);
  const change = { reason: 'self', actor: person, entries: [disowned] } as const;
  const former = await dropGameAccount({ _id: person.id, gameUserId }, change);
  if (former === null) {
    if ((await lastToldOf(gameUserId, person.id)) === 'changed') await enterLog(disowned);
    return false;
  }
  await settleAccount(person.id);
  void tellOfChanges(person.id);
  return true;
}

/** How many entries about a person's account are looked through: more than somebody's account changes in a year. */
const mostEntries = 1_000;

/** What the log tells last of a Roblox account of a person: that somebody else has changed it, or that they disowned that. */
async function lastToldOf(gameUserId: string, chatUserId: string): Promise<'changed' | 'disowned'> {
  const about = { 'target.id': chatUserId, action: trusted({ $in: [...telling] }) };
  const entries = AuditLog.acrossGuilds.find(about).limit(mostEntries).lean<AuditEntry[]>();
  const ofAccount = (await entries).filter(({ changes }) => {
    const { from, to } = changes?.gameUserId ?? {};
    return from === gameUserId || to === gameUserId;
  });
  const told = ofAccount
    .filter(({ action, actor }) => action === 'account.disowned' || isSomebodyElse(actor, chatUserId))
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1));
  const [last] = told;
  if (last === undefined) throw new NotFound('nothing_to_answer', 'Nobody else has changed this account of yours.');
  return last.action === 'account.disowned' ? 'disowned' : 'changed';
}

const telling = ['account.linked', 'account.unlinked', 'account.disowned'] as const;

/** Tells that `owner` says of an account that somebody else's doing with it was against their will. */
export function entryOfDisowning(gameUserId: string | null, owner: Actor): NewEntry {
  return newEntry({
    guildId: null,
    actor: owner,
    action: 'account.disowned',
    target: { kind: 'account', id: owner.id, name: owner.name },
    changes: { gameUserId: { from: gameUserId, to: null } },
  });
}
