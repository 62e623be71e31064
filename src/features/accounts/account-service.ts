import { type PipelineStage, type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { aggregateDirectly } from '../../platforms/database/direct-reads.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { push } from '../../platforms/events/outbox.js';
import type { UnlinkReason } from '../members/member-links.js';
import type { GameIdentity } from '../members/member-model.js';
import { dropGameAccount } from './account-ending.js';
import {
  type Account,
  type AccountMethod,
  Accounts,
  type ImportSource,
  type StoredAccount,
  unsettledBy,
} from './account-model.js';
import { isSomebodyElse, noticeTo, tellOfChanges } from './account-notices.js';
import { gameOf, settleAccount } from './account-settling.js';
import { GameAccountHeld, harderToTake, isTakenBy, placesOf, refuseToReplace, takenBy } from './proof-strength.js';
import { refuseImports } from './refused-imports.js';

export type { Account } from './account-model.js';

/** The account of a chat user, or null. */
export async function findAccount(chatUserId: string): Promise<Account | null> {
  return asAccount(await Accounts.findById(chatUserId).lean<StoredAccount>());
}

/** The account of a chat user, or null, and the rows that the stage `also` adds, in one command. */
export async function findAccountWith<Row extends object>(
  chatUserId: string,
  also: PipelineStage.UnionWith,
): Promise<{ account: Account | null; rows: Row[] }> {
  const found = await aggregateDirectly<StoredAccount | Row>(Accounts, [{ $match: { _id: chatUserId } }, also]);
  const isRow = (row: StoredAccount | Row): row is Row => '_id' in row && row._id !== chatUserId;
  const [stored = null] = found.filter((row): row is StoredAccount => !isRow(row));
  return { account: asAccount(stored), rows: found.filter(isRow) };
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
  game: GameIdentity & { gameCreatedAt?: Date | undefined };
  method: AccountMethod;
  /** imported: where from. */
  importedFrom?: ImportSource;
  /** The session that proved it. */
  provenBy?: string;
  /** It moves also what is hard to take: its owner has had their time to object (VER-18). */
  overOAuth?: boolean;
}

/**
 * Stores a fresh proof (ID-8). A former owner of the game account loses it everywhere (`transferred`); the member of
 * `guildId` is linked even if an admin had blocked that; the person's other guilds are brought in line. Can be repeated
 * after a crash. Syncs are owed, not awaited. Throws Conflict `account_transferred` when another proof, of the same
 * account or of the same person, came in meanwhile: then that one holds; and GameAccountHeld.
 */
export async function linkAccount(proof: ProvenLink, actor: Actor): Promise<Account> {
  const { chatUserId, chatUsername, guildId, game } = proof;
  await takeGameAccount(proof, actor);
  const inGuild = guildId === null ? undefined : { guildId, chatUsername, game, actor };
  const account = asAccount(await settleAccount(chatUserId, inGuild));
  if (actor.kind === 'bot_token') void tellOfChanges(chatUserId);
  if (account?.gameUserId === game.gameUserId) return account;
  throw new Conflict(
    'account_transferred',
    'Another verification has replaced this one. Verify again if it was not yours.',
  );
}

/**
 * Removes a person's account, which unlinks them in every guild; their roles follow. `shown` is the only Roblox account
 * that may go, where one was named. Throws NotFound `not_linked`.
 */
export async function unlinkAccount(
  chatUserId: string,
  actor: Actor,
  reason: UnlinkReason = 'self',
  shown?: string,
): Promise<void> {
  const told = isSomebodyElse(actor, chatUserId) ? await findAccount(chatUserId) : null;
  const which = shown ?? told?.gameUserId ?? trusted({ $exists: true });
  const notice = told === null ? {} : noticeTo(chatUserId, actor, 'removed', told);
  if (reason === 'self') await refuseImportsOf(chatUserId);
  const former = await dropGameAccount({ _id: chatUserId, gameUserId: which }, { reason, actor, notice });
  if (former === null) throw new NotFound('not_linked', 'There is no linked Roblox account.');
  await settleAccount(chatUserId);
  void tellOfChanges(chatUserId);
}

/** A person who removes an imported account is not given it by an import again. */
async function refuseImportsOf(chatUserId: string): Promise<void> {
  const account = await findAccount(chatUserId);
  if (account?.method === 'imported') await refuseImports(chatUserId, account.gameUserId);
}

/**
 * Ends what is left of a person's link. Can be repeated, and leaves alone what was proved after they wished it, also a
 * moment ago: the write that ends the link asks for it.
 */
export async function eraseAccount({ chatUserId, actor, requestedAt }: ErasedPerson): Promise<void> {
  const old = { _id: chatUserId, linkedAt: trusted({ $lte: requestedAt }) };
  await dropGameAccount(old, { reason: 'erased', actor });
  await settleAccount(chatUserId);
}

/**
 * Makes the game account this person's, whoever had it. The unique indexes decide between two who prove the same one, or
 * for the same person, at once: the later write wins, as a later proof would. Throws GameAccountHeld.
 */
export async function takeGameAccount(proof: ProvenLink, actor: Actor): Promise<void> {
  const { chatUserId, guildId, game } = proof;
  for (let attempt = 1; ; attempt += 1) {
    const before = await Accounts.findById(chatUserId).lean<StoredAccount>();
    refuseToReplace(before, proof);
    await takeFromOwner(proof, actor);
    const entry = newEntry({
      guildId,
      actor,
      action: 'account.linked',
      target: { kind: 'account', id: chatUserId, name: game.gameUsername },
      changes: {
        gameUserId: { from: before?.gameUserId ?? null, to: game.gameUserId },
        ...(proof.importedFrom !== undefined && { importedFrom: { from: null, to: proof.importedFrom } }),
      },
    });
    try {
      await Accounts.updateOne(asRead(chatUserId, before), changeBy(proof, actor, before, entry), { upsert: true });
      await enterLog(entry);
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await refuseIfHeld(proof);
      if (attempt === 5) throw error;
    }
  }
}

/** Matches an account only while it is proved as it was read: else the unique `_id` refuses a second document. */
function asRead(_id: string, before: StoredAccount | null): QueryFilter<StoredAccount> {
  if (before?.gameUserId === undefined) return { _id, gameUserId: trusted({ $exists: false }) };
  const { gameUserId, method = null } = before;
  return { _id, gameUserId, method };
}

/** What a proof writes into its person's account, which was `before`, with the entry that tells of it. */
function changeBy(
  { chatUserId, guildId, game, method, provenBy, importedFrom }: ProvenLink,
  actor: Actor,
  before: StoredAccount | null,
  entry: NewEntry,
): UpdateQuery<StoredAccount> {
  const { gameUserId, gameUsername, gameDisplayName, gameCreatedAt } = game;
  const isNew = before?.gameUserId !== gameUserId;
  // What was proved by OAuth stays so when words prove it too: it goes on being hard to take.
  const hardest = isNew ? method : harderToTake(before?.method, method);
  const places = placesOf(hardest, guildId, isNew);
  return {
    $set: {
      gameUserId,
      gameUsername,
      gameDisplayName,
      method: hardest,
      linkedAt: clock.now(),
      namesReadAt: clock.now(),
      ...(gameCreatedAt !== undefined && { gameCreatedAt }),
      ...(provenBy !== undefined && { provenBy }),
      ...(hardest === 'imported' && { importedFrom }),
      unsettled: { ...unsettledBy('transferred', actor), ...(guildId !== null && { provenIn: guildId }) },
      ...places.$set,
    },
    ...(places.$addToSet && { $addToSet: places.$addToSet }),
    $unset: {
      ...places.$unset,
      removedAt: 1 as const,
      missingSince: 1 as const,
      goneSince: 1 as const,
      ...(gameCreatedAt === undefined && { gameCreatedAt: 1 as const }),
      ...(provenBy === undefined && { provenBy: 1 as const }),
      ...(hardest !== 'imported' && { importedFrom: 1 as const }),
    },
    $push: {
      ...push(entry).$push,
      ...(isNew && importedFrom === undefined && noticeTo(chatUserId, actor, 'set', game)),
    },
  };
}

/** Ends the link of whoever else has the game account, unless they proved it in a way that `proof` does not overrule. */
async function takeFromOwner(proof: ProvenLink, actor: Actor): Promise<void> {
  const { chatUserId, game } = proof;
  const which = {
    _id: trusted({ $ne: chatUserId }),
    gameUserId: game.gameUserId,
    ...takenBy(proof),
  };
  const notice = noticeTo('', actor, 'transferred', game);
  const loser = await dropGameAccount(which, { reason: 'transferred', actor, notice });
  if (loser === null) return;
  await settleAccount(loser._id);
  void tellOfChanges(loser._id);
}

async function refuseIfHeld(proof: ProvenLink): Promise<void> {
  const owner = await findAccountOfGame(proof.game.gameUserId);
  if (owner === null || owner._id === proof.chatUserId || isTakenBy(owner, proof)) return;
  throw new GameAccountHeld(owner._id);
}

function asAccount(stored: StoredAccount | null): Account | null {
  if (stored === null) return null;
  const { _id, unsettled: _, notices: __, method, linkedAt, ...rest } = stored;
  const game = gameOf(stored);
  if (game === null || method === undefined || linkedAt === undefined) return null;
  return { ...rest, _id, ...game, method, linkedAt };
}
