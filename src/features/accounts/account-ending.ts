import { type QueryFilter, trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { push } from '../../platforms/events/outbox.js';
import type { UnlinkReason } from '../members/member-links.js';
import { Accounts, gameFields, personOfAccount, provedBy, type StoredAccount, unsettledBy } from './account-model.js';
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
 * An account that it replaces ends first, since its mark is lost. Returns the account as it was; null if none matches.
 */
export async function dropGameAccount(
  filter: QueryFilter<StoredAccount>,
  { reason, actor, notice = {}, entries = [] }: LinkEnd,
): Promise<StoredAccount | null> {
  for (;;) {
    const former = await Accounts.findOne(filter).lean<StoredAccount>();
    if (former === null) return null;
    await endReplacedBy(former, reason === 'erased' ? { reason, actor } : undefined);
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

/**
 * Ends the account that the mark of this one replaces, in `end`'s way if given. One that was proved again since is
 * wanted and stays. Returns whether it has ended by this call.
 */
export async function endReplacedBy({ _id, unsettled }: StoredAccount, end?: LinkEnd): Promise<boolean> {
  if (unsettled?.replaces === undefined) return false;
  const { actor, since, replaces: gameUserId, replacesLinkOf: linkedAt = trusted({ $lte: since }) } = unsettled;
  const which = { ...provedBy(personOfAccount({ _id })), gameUserId, linkedAt };
  const usual: LinkEnd = { reason: 'transferred', actor: { ...actor, role: null, platformAdmin: false } };
  return (await dropGameAccount(which, end ?? usual)) !== null;
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
