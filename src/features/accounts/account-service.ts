import { type PipelineStage, type QueryFilter, trusted, type UpdateQuery } from 'mongoose';
import type { Actor, ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict, NotFound } from '../../lib/errors.js';
import { aggregateDirectly } from '../../platforms/database/direct-reads.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { push } from '../../platforms/events/outbox.js';
import type { UnlinkReason } from '../members/member-links.js';
import type { GameIdentity, Member } from '../members/member-model.js';
import { dropGameAccount } from './account-ending.js';
import { candidatesOf, gameOf } from './account-in-use.js';
import {
  type Account,
  type AccountMethod,
  Accounts,
  countingIn,
  ofPerson,
  personOfAccount,
  placesOf,
  proofsOf,
  provedBy,
  type StoredAccount,
  unsettledBy,
} from './account-model.js';
import { noticeTo, sendNotices } from './account-notices.js';
import { asRead, owesMore, type Place, placeOf } from './account-places.js';
import { settleAccount } from './account-settling.js';
import type { AccountUse } from './account-use.js';
import { changedByOthers } from './consents.js';
import { GameAccountHeld, harderToTake, isTakenBy, takenBy } from './proof-strength.js';
import { refuseImports } from './refused-imports.js';

export type { Account } from './account-model.js';

/** The main account that a person has proved; null if there is none. */
export async function findAccount(chatUserId: string): Promise<Account | null> {
  return (await findProofs(chatUserId))[0] ?? null;
}

/** A person's proved accounts, the main one first. */
export async function findProofs(chatUserId: string): Promise<Account[]> {
  const proofs = proofsOf(await Accounts.find(provedBy(chatUserId)).lean<StoredAccount[]>());
  return proofs.flatMap((proof) => asAccount(proof) ?? []);
}

/** The account that a person sees as theirs: the main one, else the newest by a guild's word; null for none. */
export async function findOwnAccount(chatUserId: string): Promise<Account | null> {
  return ownAmong(await Accounts.find(ofPerson(chatUserId)).lean<StoredAccount[]>());
}

function ownAmong(stored: readonly StoredAccount[]): Account | null {
  const accounts = stored.flatMap((account) => asAccount(account) ?? []);
  const byAge = accounts.sort((a, b) => b.linkedAt.getTime() - a.linkedAt.getTime());
  return proofsOf(accounts)[0] ?? byAge[0] ?? null;
}

/** Every account of a person: their proofs, and guilds' words about them. */
export async function allAccounts(chatUserId: string): Promise<Account[]> {
  const stored = await Accounts.find(ofPerson(chatUserId)).sort({ _id: 1 }).lean<StoredAccount[]>();
  return stored.flatMap((account) => asAccount(account) ?? []);
}

/** A person's own account as `findOwnAccount` returns it, and the rows that the stage `also` adds, in one command. */
export async function findAccountWith<Row extends object>(
  chatUserId: string,
  also: PipelineStage.UnionWith,
): Promise<{ account: Account | null; rows: Row[] }> {
  const found = await aggregateDirectly<StoredAccount | Row>(Accounts, [{ $match: ofPerson(chatUserId) }, also]);
  const isRow = (row: StoredAccount | Row): row is Row =>
    '_id' in row && (typeof row._id !== 'string' || personOfAccount({ _id: row._id }) !== chatUserId);
  const stored = found.filter((row): row is StoredAccount => !isRow(row));
  return { account: ownAmong(stored), rows: found.filter(isRow) };
}

/** The account that would count in a member's guild: the proof that it would use, else its own word; null for none. */
export async function findAccountIn(member: Member): Promise<Account | null> {
  const { guildId, chatUserId } = member;
  const accounts = await Accounts.find(countingIn(chatUserId, guildId)).lean<StoredAccount[]>();
  const [counting] = await candidatesOf({ guildId, member }, accounts);
  return asAccount(counting?.account ?? null);
}

/** The person's account, proved or by a guild's word, that a verification session has linked; null if none. */
export async function findAccountProvenBy(chatUserId: string, sessionId: string): Promise<Account | null> {
  return asAccount(await Accounts.findOne({ ...ofPerson(chatUserId), provenBy: sessionId }).lean<StoredAccount>());
}

/** The account of the person that has proved this game account. */
export async function findAccountOfGame(gameUserId: string): Promise<Account | null> {
  return asAccount(await Accounts.findOne({ gameUserId, guildId: trusted({ $exists: false }) }).lean<StoredAccount>());
}

/** How many accounts are linked, and how many have a change that has not reached every guild yet. */
export async function countAccounts(): Promise<{ linked: number; unsettled: number }> {
  const [linked, unsettled] = await Promise.all([
    Accounts.countDocuments({ gameUserId: trusted({ $type: 'string' }) }),
    Accounts.countDocuments({ 'unsettled.since': trusted({ $exists: true }) }),
  ]);
  return { linked, unsettled };
}

/** A proof: the two accounts, the method, and the guild (null: made on the web, for no guild in particular). */
export interface ProvenLink {
  chatUserId: string;
  chatUsername: string;
  guildId: string | null;
  game: GameIdentity & { gameCreatedAt?: Date | undefined };
  method: Exclude<AccountMethod, 'imported' | 'game_code'>;
  provenBy?: string;
  /** The owner that has had time to object (VER-18). The proof takes their account, however it was proved. */
  askedOwnerId?: string;
  /** How it stands beside the person's other accounts; `ask` refuses where there is a choice. */
  use?: AccountUse | 'ask';
}

/**
 * Stores a new proof (ID-8). The game account's former owner loses it everywhere (`transferred`). The member of
 * `guildId` is linked even if an admin had blocked it, and the person's other guilds are updated. Syncs are enqueued,
 * not awaited. Can be repeated after a crash.
 * Throws GameAccountHeld, AccountChoiceNeeded before anything is written, Conflict `accounts_full`, and Conflict
 * `account_transferred` if another proof for the same account or person came first: that one holds.
 */
export async function linkAccount(proof: ProvenLink, actor: Actor): Promise<Account> {
  const { chatUserId, chatUsername, guildId, game } = proof;
  await takeGameAccount(proof, actor);
  const account = asAccount(await settleAccount(chatUserId, { guildId, chatUsername, game, actor }));
  if (actor.kind === 'bot_token') void sendNotices(chatUserId);
  if (account?.gameUserId === game.gameUserId) return account;
  throw new Conflict(
    'account_transferred',
    'Another verification has replaced this one. Verify again if it was not yours.',
  );
}

/**
 * Removes a person's account, which unlinks them in every guild; their roles follow. If `shown` is given, no other
 * Roblox account is removed. Several end together, so that no server uses any in between. Throws NotFound `not_linked`.
 */
export async function unlinkAccount(
  chatUserId: string,
  actor: Actor,
  reason: UnlinkReason = 'self',
  shown?: string | readonly string[],
): Promise<void> {
  const gameUserId = trusted(shown === undefined ? { $exists: true } : { $in: [shown].flat() });
  const ended = await dropAll({ ...ofPerson(chatUserId), gameUserId }, { reason, actor });
  if (ended.length === 0) throw new NotFound('not_linked', 'No Roblox account is linked.');
  await settleAccount(chatUserId);
  void sendNotices(chatUserId);
}

/**
 * Ends the proof and the words that match, each by its own write. If the person ends an imported account, no import in
 * that guild gives it to them again (PEOPLE-8). Returns the ended accounts.
 */
export async function dropAll(
  which: QueryFilter<StoredAccount>,
  { reason, actor, entries = [] }: { reason: UnlinkReason; actor: Actor; entries?: readonly NewEntry[] },
): Promise<StoredAccount[]> {
  const found = await Accounts.find(which).sort({ _id: 1 }).lean<StoredAccount[]>();
  const ended: StoredAccount[] = [];
  for (const { _id, guildId, gameUserId = '', gameUsername = '' } of found) {
    const person = personOfAccount({ _id });
    if (reason === 'self' && guildId !== undefined) await refuseImports(guildId, person, gameUserId);
    const notice = reason === 'erased' ? {} : noticeTo(person, actor, 'removed', { gameUserId, gameUsername });
    const told = ended.length === 0 ? entries : [];
    const former = await dropGameAccount({ _id, gameUserId }, { reason, actor, notice, entries: told });
    if (former !== null) ended.push(former);
  }
  return ended;
}

/**
 * Ends a person's remaining link, or one account (`gameUserId`). Leaves alone anything proved after `requestedAt`, even
 * a moment later: the write itself checks it. Can be repeated.
 */
export async function eraseAccount(
  { chatUserId, actor, requestedAt }: ErasedPerson,
  gameUserId?: string,
): Promise<void> {
  const old = { ...ofPerson(chatUserId), linkedAt: trusted({ $lte: requestedAt }) };
  const which = { ...old, gameUserId: gameUserId ?? trusted({ $exists: true }) };
  await dropAll(which, { reason: 'erased', actor });
  await settleAccount(chatUserId);
}

/** Each attempt meets another write at the same moment. */
const mostAttempts = 5;

/**
 * Gives the game account to this person and takes it from any other owner. Unique indexes decide between simultaneous
 * proofs for one account or by one person: the later write wins. Throws GameAccountHeld.
 */
async function takeGameAccount(proof: ProvenLink, actor: Actor): Promise<void> {
  const { chatUserId, guildId, game } = proof;
  for (let attempt = 1; ; attempt += 1) {
    const place = await placeOf(proof);
    // The new mark would take this one's place.
    if (place.before !== null && owesMore(place.before)) {
      if (attempt === mostAttempts) throw changedByOthers();
      await settleAccount(chatUserId);
      continue;
    }
    await takeFromOwner(proof, actor);
    const former = place.replaced?.gameUserId ?? null;
    const entry = newEntry({
      guildId,
      actor,
      action: 'account.linked',
      target: { kind: 'account', id: chatUserId, name: game.gameUsername },
      // A guild learns about a former account only by its own `member.linked` (ID-18).
      changes: { gameUserId: { from: guildId === null ? former : null, to: game.gameUserId } },
    });
    try {
      const change = changeBy(proof, actor, place, entry);
      await Accounts.updateOne(asRead(place), change, { upsert: true });
      await enterLog(entry);
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await refuseIfHeld(proof);
      if (attempt === mostAttempts) throw error;
    }
  }
}

/** The update that a proof makes in its place, including the log entry. */
function changeBy(
  { chatUserId, guildId, game, method, provenBy }: ProvenLink,
  actor: Actor,
  { before, replaced, mainSince, isFresh }: Place,
  entry: NewEntry,
): UpdateQuery<StoredAccount> {
  const { gameUserId, gameUsername, gameDisplayName, gameCreatedAt } = game;
  const isNew = before?.gameUserId !== gameUserId;
  const { gameUserId: replaces, linkedAt: replacesLinkOf } = replaced ?? {};
  const where = {
    ...(guildId !== null && { provenIn: guildId }),
    ...(replaces !== undefined && { replaces }),
    ...(replacesLinkOf !== undefined && { replacesLinkOf }),
  };
  // An account proved by OAuth stays hard to take, even if a profile text proves it again.
  const hardest = isNew ? method : harderToTake(before?.method, method);
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
      ...(mainSince && { mainSince }),
      unsettled: { ...unsettledBy('transferred', actor), ...where },
    },
    $unset: {
      removedAt: 1 as const,
      missingSince: 1 as const,
      goneSince: 1 as const,
      ...(isFresh && !mainSince && { mainSince: 1 as const }),
      ...(gameCreatedAt === undefined && { gameCreatedAt: 1 as const }),
      ...(provenBy === undefined && { provenBy: 1 as const }),
    },
    $push: {
      ...push(entry).$push,
      ...(isNew && noticeTo(chatUserId, actor, 'set', game)),
    },
  };
}

/** Ends any other person's link to the game account, unless their proof is one that `proof` does not overrule. */
async function takeFromOwner(proof: ProvenLink, actor: Actor): Promise<void> {
  const { chatUserId, game } = proof;
  const which = {
    _id: trusted({ $nin: placesOf(chatUserId) }),
    gameUserId: game.gameUserId,
    ...takenBy(proof),
  };
  const notice = noticeTo('', actor, 'transferred', game);
  const loser = await dropGameAccount(which, { reason: 'transferred', actor, notice });
  if (loser === null) return;
  await settleAccount(personOfAccount(loser));
  void sendNotices(personOfAccount(loser));
}

async function refuseIfHeld(proof: ProvenLink): Promise<void> {
  const owner = await findAccountOfGame(proof.game.gameUserId);
  if (owner === null || owner._id === proof.chatUserId || isTakenBy(owner, proof)) return;
  throw new GameAccountHeld(owner._id);
}

export function asAccount(stored: StoredAccount | null): Account | null {
  if (stored === null) return null;
  const { unsettled: _, notices: __, method, linkedAt, ...rest } = stored;
  const game = gameOf(stored);
  if (game === null || method === undefined || linkedAt === undefined) return null;
  return { ...rest, _id: personOfAccount(stored), ...game, method, linkedAt };
}
