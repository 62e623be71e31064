import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { dropGameAccount } from './account-ending.js';
import { tellOfChanges } from './account-notices.js';
import { settleAccount } from './account-settling.js';

/**
 * "It was not me": writes down that a person did not want a change of their account that somebody else made, and ends the
 * link to `gameUserId` if that is what they were given. Answers whether it did; nothing else can be undone by a press.
 */
export async function disownAccount(gameUserId: string, person: Actor): Promise<boolean> {
  const disowned = entryOfDisowning(gameUserId, person);
  const change = { reason: 'self', actor: person, entries: [disowned] } as const;
  const former = await dropGameAccount({ _id: person.id, gameUserId }, change);
  if (former === null) {
    await enterLog(disowned);
    return false;
  }
  await settleAccount(person.id);
  void tellOfChanges(person.id);
  return true;
}

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
