import type { QueryFilter } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { push } from '../../platforms/events/outbox.js';
import type { UnlinkReason } from '../members/member-links.js';
import { Accounts, gameFields, personOfAccount, type StoredAccount, unsettledBy } from './account-model.js';
import type { noticeTo } from './account-notices.js';

/** Why a link ends, the actor, the notice for its person, and further log entries to store with it. */
interface LinkEnd {
  reason: UnlinkReason;
  actor: Actor;
  notice?: ReturnType<typeof noticeTo>;
  entries?: readonly NewEntry[];
}

/**
 * Removes the game account from one stored account and logs it. The document stays until every guild has been updated.
 * Returns the account as it was; null if none matches.
 */
export async function dropGameAccount(
  filter: QueryFilter<StoredAccount>,
  { reason, actor, notice = {}, entries = [] }: LinkEnd,
): Promise<StoredAccount | null> {
  for (;;) {
    const former = await Accounts.findOne(filter).lean<StoredAccount>();
    if (former === null) return null;
    const { _id, linkedAt = null } = former;
    const logged = [...entries, entryOfUnlink(former, actor, reason)];
    // Only the link that was read: a newer one is judged separately.
    const { modifiedCount } = await Accounts.updateOne(
      { ...filter, _id, linkedAt },
      {
        $unset: { ...gameFields, ...(reason === 'erased' && { notices: 1 as const }) },
        $set: { unsettled: unsettledBy(reason, actor) },
        $push: { ...push(...logged).$push, ...notice },
      },
    );
    if (modifiedCount === 0) continue;
    await enterLog(...logged);
    return former;
  }
}

function entryOfUnlink(former: StoredAccount, actor: Actor, reason: UnlinkReason): NewEntry {
  const { gameUserId, gameUsername } = former;
  const id = personOfAccount(former);
  return newEntry({
    guildId: null,
    actor,
    action: 'account.unlinked',
    target: { kind: 'account', id, ...(gameUsername !== undefined && { name: gameUsername }) },
    changes: { gameUserId: { from: gameUserId, to: null }, reason: { from: null, to: reason } },
  });
}
