import { trusted, type UpdateQuery } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { type Author, authorOf, lowerCeiling } from '../../core/actors/reach.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { push } from '../../platforms/events/outbox.js';
import { type GameIdentity, type GuildWord, Members } from '../members/member-model.js';
import { dropGameAccount } from './account-ending.js';
import {
  type Account,
  Accounts,
  personOfAccount,
  provedBy,
  type StoredAccount,
  unsettledBy,
  wordId,
} from './account-model.js';
import { asAccount } from './account-service.js';
import { settleAccount } from './account-settling.js';
import { GameAccountHeld } from './proof-strength.js';

// A guild's word that an account is a person's (ID-60): an import, or a code typed in its game. It counts in that guild
// alone, is judged by what that guild sees, and nothing that another guild sees depends on it.

/** The author when `actor` gives a word at this moment. Throws ChatPlatformUnavailable. */
export async function voucherOf(guildId: string, actor: Actor): Promise<Author> {
  const { chatUserId, ceilingRoleId } = await authorOf(actor, await readGuildFacts(guildId));
  return { chatUserId, ceilingRoleId };
}

/** A word to be given. */
export interface GivenWord extends GuildWord {
  guildId: string;
  chatUserId: string;
  game: GameIdentity & { gameCreatedAt?: Date | undefined };
  /** The import that gives it, `pim_…`. */
  importId?: string;
  /** A code's session. */
  provenBy?: string;
}

/**
 * Stores a guild's word about a person, instead of its former one. False if the guild's word gives the account to
 * another person, or, with `replacesNone`, this person an account. The caller settles the person. Can be repeated.
 */
export async function giveWord(given: GivenWord, actor: Actor, { replacesNone = false } = {}): Promise<boolean> {
  const { guildId, chatUserId, game, method } = given;
  const _id = wordId(chatUserId, guildId);
  const before = await Accounts.findById(_id).lean<StoredAccount>();
  const entry = newEntry({
    // The guild learns about an imported account once it may see it, by `member.linked` (PEOPLE-7).
    guildId: method === 'imported' ? null : guildId,
    actor,
    action: 'account.linked',
    target: { kind: 'account', id: chatUserId, name: game.gameUsername },
    changes: {
      gameUserId: { from: before?.gameUserId ?? null, to: game.gameUserId },
      ...(given.importedFrom !== undefined && { importedFrom: { from: null, to: given.importedFrom } }),
    },
  });
  try {
    // The unique `_id` refuses a second word.
    const place = { _id, ...(replacesNone && { gameUserId: trusted({ $exists: false }) }) };
    await Accounts.updateOne(place, { ...wordFields(given, actor), ...push(entry) }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return false;
  }
  await enterLog(entry);
  return true;
}

/**
 * Renews a guild's word that is given already: `voucher` becomes its author if they stand above its author, and the
 * choice about the nickname is theirs. Nobody confirms a word about themselves. The caller settles the person.
 */
export async function confirmWord(
  word: StoredAccount,
  { voucher, keepsNickname }: Pick<GuildWord, 'voucher' | 'keepsNickname'>,
  actor: Actor,
): Promise<void> {
  const { _id, guildId, gameUserId, method = 'imported', voucher: former } = word;
  const person = personOfAccount(word);
  if (guildId === undefined || former === undefined) return;
  const facts = await readGuildFacts(guildId);
  const isHigher = lowerCeiling(former.ceilingRoleId, voucher.ceilingRoleId, facts) !== voucher.ceilingRoleId;
  const confirms = voucher.chatUserId !== person && (isHigher || former.chatUserId === person);
  if (!confirms && word.keepsNickname === keepsNickname) return;
  const unsettled = { ...unsettledBy('transferred', actor), provenIn: guildId };
  const $set = { unsettled, ...(confirms && { voucher }), ...(keepsNickname && { keepsNickname }) };
  const $unset = keepsNickname === undefined ? { keepsNickname: 1 as const } : {};
  await Accounts.updateOne({ _id, gameUserId: gameUserId ?? '', method }, { $set, $unset });
}

function wordFields(given: GivenWord, actor: Actor): UpdateQuery<StoredAccount> {
  const { guildId, game, method, importedFrom, importId, provenBy, voucher, keepsNickname } = given;
  const { gameUserId, gameUsername, gameDisplayName, gameCreatedAt } = game;
  const now = clock.now();
  const own = {
    ...(importedFrom !== undefined && { importedFrom }),
    ...(importId !== undefined && { importId }),
    ...(provenBy !== undefined && { provenBy }),
  };
  const names = { gameUserId, gameUsername, gameDisplayName, ...(gameCreatedAt !== undefined && { gameCreatedAt }) };
  const unsettled = { ...unsettledBy('transferred', actor), provenIn: guildId };
  return {
    $set: {
      guildId,
      method,
      voucher,
      ...(keepsNickname && { keepsNickname }),
      ...own,
      ...names,
      linkedAt: now,
      namesReadAt: now,
      unsettled,
    },
    $unset: {
      ...{ removedAt: 1 as const, missingSince: 1 as const, goneSince: 1 as const },
      ...(importedFrom === undefined && { importedFrom: 1 as const }),
      ...(importId === undefined && { importId: 1 as const }),
      ...(keepsNickname === undefined && { keepsNickname: 1 as const }),
      ...(provenBy === undefined && { provenBy: 1 as const }),
      ...(gameCreatedAt === undefined && { gameCreatedAt: 1 as const }),
    },
  };
}

/**
 * Links a person by a code from the guild's game, which they have confirmed. Their own proof for the same account
 * counts instead. Throws GameAccountHeld if they have proved another account, or if the guild sees that somebody else
 * has proved this one (ID-13), and Conflict `account_transferred` if another proof came first.
 */
export async function linkByGameCode(given: GivenWord & { chatUsername: string }, actor: Actor): Promise<Account> {
  const { guildId, chatUserId, chatUsername, game, provenBy } = given;
  const { gameUserId } = game;
  const proofs = await Accounts.find(provedBy(chatUserId)).lean<StoredAccount[]>();
  const proved = proofs.find((proof) => proof.gameUserId === gameUserId);
  if (proofs.length > 0 && proved === undefined) throw new GameAccountHeld(chatUserId);
  if (proved === undefined) await replaceWord(given, actor);
  else if (provenBy !== undefined) await Accounts.updateOne({ _id: proved._id, gameUserId }, { $set: { provenBy } });
  const settled = await settleAccount(chatUserId, { guildId, chatUsername, game, actor });
  const account = settled && asAccount(settled);
  if (account?.gameUserId === gameUserId) return account;
  throw new Conflict('account_transferred', 'Another verification has replaced this one. Verify again.');
}

/** Gives the word, and ends the guild's word that gave the account to somebody else. */
async function replaceWord(given: GivenWord, actor: Actor): Promise<void> {
  const { guildId, chatUserId, game } = given;
  const { gameUserId } = game;
  const others = { guildId, gameUserId, chatUserId: trusted({ $ne: chatUserId }) };
  const byProof = { ...others, state: 'linked' as const, word: trusted({ $exists: false }) };
  const owner = await Members.findOne(byProof);
  if (owner !== null) throw new GameAccountHeld(owner.chatUserId);
  const told = { guildId, gameUserId, _id: trusted({ $ne: wordId(chatUserId, guildId) }) };
  const former = await dropGameAccount(told, { reason: 'transferred', actor });
  if (former !== null) await settleAccount(personOfAccount(former));
  if (!(await giveWord(given, actor))) throw new GameAccountHeld(chatUserId);
}
