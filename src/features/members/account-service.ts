import { type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import type { VerificationMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { newSecret } from '../../lib/ids.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { push } from '../../platforms/events/outbox.js';
import { type Account, Accounts, type StoredAccount, type UnlinkReason } from './account-model.js';
import { gameOf, settleAccount } from './account-settling.js';
import type { GameIdentity } from './member-model.js';

export type { Account } from './account-model.js';

/** The account of a chat user, or null. */
export async function findAccount(chatUserId: string): Promise<Account | null> {
  return asAccount(await Accounts.findById(chatUserId).lean<StoredAccount>());
}

/** The account that a game account belongs to, or null. */
export async function findAccountOfGame(gameUserId: string): Promise<Account | null> {
  return asAccount(await Accounts.findOne({ gameUserId }).lean<StoredAccount>());
}

/** How many accounts there are, and how many have changed and not reached every guild of their person yet. */
export async function countAccounts(): Promise<{ linked: number; unsettled: number }> {
  const [linked, unsettled] = await Promise.all([
    Accounts.countDocuments({ gameUserId: trusted({ $type: 'string' }) }),
    Accounts.countDocuments({ 'unsettled.since': trusted({ $exists: true }) }),
  ]);
  return { linked, unsettled };
}

/** What was proved, by whom, and in which guild (null: on the web, for none in particular). */
export interface ProvenLink {
  chatUserId: string;
  chatUsername: string;
  guildId: string | null;
  game: GameIdentity;
  method: VerificationMethod;
}

/**
 * Stores a fresh proof (SPEC §1). A former owner of the game account loses it everywhere (`transferred`); the member of
 * `guildId` is linked even if an admin had blocked that; the person's other guilds are brought in line. Can be repeated
 * after a crash. Syncs are owed, not awaited. Throws Conflict `account_transferred` when another proof, of the same
 * account or of the same person, came in meanwhile: then that one holds.
 */
export async function linkAccount(proof: ProvenLink, actor: Actor): Promise<Account> {
  const { chatUserId, chatUsername, guildId, game } = proof;
  await takeGameAccount(proof, actor);
  await settleAccount(chatUserId, guildId === null ? undefined : { guildId, chatUsername, game, actor });
  const account = await findAccount(chatUserId);
  if (account?.gameUserId === game.gameUserId) return account;
  throw new Conflict(
    'account_transferred',
    'Another verification has replaced this one. Verify again if it was not yours.',
  );
}

/**
 * Removes a person's account, which unlinks them in every guild; their roles follow. Throws NotFound `not_linked`.
 */
export async function unlinkAccount(chatUserId: string, actor: Actor, reason: UnlinkReason = 'self'): Promise<void> {
  const former = await dropGameAccount({ _id: chatUserId, gameUserId: trusted({ $exists: true }) }, reason, actor);
  if (former === null) throw new NotFound('not_linked', 'There is no linked Roblox account.');
  await settleAccount(chatUserId);
}

function entryOfUnlink(former: StoredAccount, actor: Actor, reason: UnlinkReason): NewEntry {
  const { _id: id, gameUserId, gameUsername } = former;
  return newEntry({
    guildId: null,
    actor,
    action: 'account.unlinked',
    target: { kind: 'account', id, ...(gameUsername !== undefined && { name: gameUsername }) },
    changes: { gameUserId: { from: gameUserId, to: null }, reason: { from: null, to: reason } },
  });
}

/**
 * Ends what is left of a person's link. Can be repeated, and leaves alone what was proved after they wished it, also a
 * moment ago: the write that ends the link asks for it.
 */
export async function eraseAccount({ chatUserId, actor, requestedAt }: ErasedPerson): Promise<void> {
  await dropGameAccount({ _id: chatUserId, linkedAt: trusted({ $lte: requestedAt }) }, 'erased', actor);
  await settleAccount(chatUserId);
}

/** Keeps the names of a game account, which people change on Roblox. */
export async function keepGameNames({ gameUserId, gameUsername, gameDisplayName }: GameIdentity): Promise<void> {
  await Accounts.updateOne({ gameUserId }, { $set: { gameUsername, gameDisplayName } });
}

/**
 * Makes the game account this person's, whoever had it. The unique indexes decide between two who prove the same one, or
 * for the same person, at once: the later write wins, as a later proof would.
 */
async function takeGameAccount({ chatUserId, guildId, game, method }: ProvenLink, actor: Actor): Promise<void> {
  const provenIn = guildId === null ? {} : { provenIn: guildId };
  for (let attempt = 1; ; attempt += 1) {
    const loser = await dropGameAccount(
      { _id: trusted({ $ne: chatUserId }), gameUserId: game.gameUserId },
      'transferred',
      actor,
    );
    if (loser !== null) await settleAccount(loser._id);
    const { gameUserId: from = null } = (await Accounts.findById(chatUserId).lean<StoredAccount>()) ?? {};
    const entry = newEntry({
      guildId,
      actor,
      action: 'account.linked',
      target: { kind: 'account', id: chatUserId, name: game.gameUsername },
      changes: { gameUserId: { from, to: game.gameUserId } },
    });
    const linked = { ...game, method, linkedAt: clock.now() };
    // Only from the account that the entry names: else the unique `_id` refuses a second document.
    const before = from === null ? { gameUserId: trusted({ $exists: false }) } : { gameUserId: from };
    const change: UpdateQuery<StoredAccount> = {
      $set: { ...linked, unsettled: { ...unsettled('transferred', actor), ...provenIn } },
      $unset: { removedAt: 1 },
      ...push(entry),
    };
    try {
      await Accounts.updateOne({ _id: chatUserId, ...before }, change, { upsert: true });
      await enterLog(entry);
      return;
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === 5) throw error;
    }
  }
}

/**
 * Takes the game account out of one stored account, which stays until every guild knows, and logs it. Answers with the
 * account as it was; null when none matches.
 */
async function dropGameAccount(
  filter: QueryFilter<StoredAccount>,
  reason: UnlinkReason,
  actor: Actor,
): Promise<StoredAccount | null> {
  for (;;) {
    const former = await Accounts.findOne(filter).lean<StoredAccount>();
    if (former === null) return null;
    const { _id, linkedAt = null } = former;
    const entry = entryOfUnlink(former, actor, reason);
    // Only the link that was read: a newer one is looked at anew.
    const { modifiedCount } = await Accounts.updateOne(
      { ...filter, _id, linkedAt },
      {
        $unset: { gameUserId: 1, gameUsername: 1, gameDisplayName: 1, method: 1, linkedAt: 1 },
        $set: { unsettled: unsettled(reason, actor) },
        ...push(entry),
      },
    );
    if (modifiedCount === 0) continue;
    await enterLog(entry);
    return former;
  }
}

function unsettled(reason: UnlinkReason, { kind, id, name }: Actor): NonNullable<StoredAccount['unsettled']> {
  return { id: newSecret(), reason, actor: { kind, id, name }, since: clock.now() };
}

function asAccount(stored: StoredAccount | null): Account | null {
  if (stored === null) return null;
  const { _id, method, linkedAt } = stored;
  const game = gameOf(stored);
  if (game === null || method === undefined || linkedAt === undefined) return null;
  return { _id, ...game, method, linkedAt };
}
