import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { type GameIdentity, type GuildWord, type Member, Members, memberIndexes } from '../members/member-model.js';
import { memberSeen } from '../members/member-service.js';
import { dropGameAccount } from './account-ending.js';
import { Accounts, personOfAccount, type StoredAccount, wordId } from './account-model.js';
import { settleAccount } from './account-settling.js';
import { confirmWord, giveWord } from './account-words.js';
import { givenBy, type ImportRun, isGivenBy } from './imported-word.js';
import { findRefusedImports } from './refused-imports.js';

/** An account pair that a guild vouches for. */
export interface ImportedPair {
  chatUserId: string;
  chatUsername: string;
  game: GameIdentity;
}

type Pair = Readonly<{ chatUserId: string; gameUserId: string }>;

/**
 * The result for one pair, by what the guild sees alone (PEOPLE-21). `known`: the person already has this account here,
 * or an admin has unlinked them. `contradicting`: the guild knows the person by another account, or another person with
 * this one. `refused`: the person has told this guild that it is not theirs.
 */
export type ImportOutcome = 'imported' | 'known' | 'contradicting' | 'refused';

/** An import's terms. `leavesNickname`: a known word keeps its own choice about the nickname. */
type ImportedTerms = Pick<GuildWord, 'voucher' | 'keepsNickname'> & { leavesNickname?: true };

/**
 * Gives a member an account that the guild vouches for (ID-60). It counts in that guild only, replaces no account that
 * the guild sees, and yields to any proof. A lower author's known word is confirmed by this one. If the guild asks
 * before it shows accounts, the person is asked. Can be repeated after a crash.
 */
export async function importAccount(
  guildId: string,
  pair: ImportedPair,
  run: ImportRun,
  terms: ImportedTerms,
  actor: Actor,
): Promise<ImportOutcome> {
  // If the guild learns something else at the same moment, the pair is judged by that.
  const judge = () => importOnce(guildId, pair, run, terms, actor);
  return (await judge()) ?? (await judge()) ?? 'contradicting';
}

/** Null if the guild has learned something about the pair since it was judged. */
async function importOnce(
  guildId: string,
  { chatUserId, chatUsername, game }: ImportedPair,
  run: ImportRun,
  { leavesNickname, ...by }: ImportedTerms,
  actor: Actor,
): Promise<ImportOutcome | null> {
  const pair = { chatUserId, gameUserId: game.gameUserId };
  const seen = await whatGuildSees(guildId, [pair]);
  await memberSeen(guildId, { chatUserId, username: chatUsername });
  const outcome = seen.outcomeOf(pair);
  const own = seen.wordOf(chatUserId);
  if (outcome !== 'imported') {
    const isOwn = own?.gameUserId === pair.gameUserId && own.method === 'imported';
    // The same import did this before a crash.
    const isRepeated = isOwn && isGivenBy(own, run);
    const { keepsNickname } = leavesNickname ? (own ?? {}) : by;
    if (isOwn) await confirmWord(own, { voucher: by.voucher, ...(keepsNickname && { keepsNickname }) }, actor);
    await settleAccount(chatUserId);
    return outcome === 'known' && isRepeated ? 'imported' : outcome;
  }
  const { importedFrom, importId } = run;
  const given = { guildId, chatUserId, game, method: 'imported' as const, importedFrom, importId, ...by };
  if (!(await giveWord(given, actor, { replacesNone: true }))) return null;
  await settleAccount(chatUserId);
  return 'imported';
}

/** A guild's own knowledge about an import's pairs: its links, its words, and people's answers. */
async function whatGuildSees(guildId: string, pairs: readonly Pair[]) {
  const chatUserIds = pairs.map(({ chatUserId }) => chatUserId);
  const gameUserIds = pairs.map(({ gameUserId }) => gameUserId);
  const ids = chatUserIds.map((id) => wordId(id, guildId));
  const shown = { chatUserId: 1, state: 1, gameUserId: 1, autoLinkBlocked: 1 } as const;
  const [people, holders, words, wordsOfGames, refused] = await Promise.all([
    Members.acrossGuilds
      .find({ guildId, chatUserId: trusted({ $in: chatUserIds }) }, shown)
      .hint(memberIndexes.chatUserId)
      .lean<Member[]>(),
    Members.acrossGuilds
      .find({ guildId, gameUserId: trusted({ $in: gameUserIds }) }, shown)
      .hint(memberIndexes.gameUserId)
      .lean<Member[]>(),
    Accounts.find({ _id: trusted({ $in: ids }) }).lean<StoredAccount[]>(),
    Accounts.find({ gameUserId: trusted({ $in: gameUserIds }), guildId }).lean<StoredAccount[]>(),
    findRefusedImports(guildId, pairs),
  ]);
  const byId = new Map(people.map((member) => [member.chatUserId, member]));
  const wordById = new Map(words.map((word) => [personOfAccount(word), word]));
  const holderOf = new Map([
    ...wordsOfGames.map((word) => [word.gameUserId, personOfAccount(word)] as const),
    ...holders.map(({ chatUserId, gameUserId }) => [gameUserId, chatUserId] as const),
  ]);
  const outcomeOf = ({ chatUserId, gameUserId }: Pair): ImportOutcome => {
    const member = byId.get(chatUserId);
    if (member?.state !== 'linked' && member?.autoLinkBlocked === true) return 'known';
    const own = member?.gameUserId ?? wordById.get(chatUserId)?.gameUserId;
    const holder = holderOf.get(gameUserId) ?? chatUserId;
    if ((own ?? gameUserId) !== gameUserId || holder !== chatUserId) return 'contradicting';
    if (own !== undefined) return 'known';
    return refused.has(`${chatUserId} ${gameUserId}`) ? 'refused' : 'imported';
  };
  return { outcomeOf, wordOf: (chatUserId: string) => wordById.get(chatUserId) };
}

/** Takes back a Roblox account that this import gave. Returns the person; null if the import gave it to no one. */
export async function revokeImport(
  guildId: string,
  gameUserId: string,
  run: ImportRun,
  actor: Actor,
): Promise<string | null> {
  const former = await dropGameAccount({ gameUserId, guildId, ...givenBy(run) }, { reason: 'transferred', actor });
  if (former === null) return null;
  await settleAccount(personOfAccount(former));
  return personOfAccount(former);
}

/** The first person here to whom an import has given an account; null if there is none. */
export async function importedAmong(
  guildId: string,
  chatUserIds: readonly string[],
  run: ImportRun,
): Promise<string | null> {
  const given = { _id: trusted({ $in: chatUserIds.map((id) => wordId(id, guildId)) }), ...givenBy(run) };
  const found = await Accounts.findOne(given, { _id: 1 }).lean<Pick<StoredAccount, '_id'> | null>();
  return found && personOfAccount(found);
}

export async function linkedAmong(guildId: string, chatUserIds: readonly string[]): Promise<ReadonlySet<string>> {
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), state: 'linked' as const };
  const found = await Members.acrossGuilds
    .find(theirs, { chatUserId: 1, _id: 0 })
    .hint(memberIndexes.chatUserId)
    .lean<Pick<Member, 'chatUserId'>[]>();
  return new Set(found.map(({ chatUserId }) => chatUserId));
}

/** Roughly how many guild members have no link there, bots included. */
export async function countUnlinkedMembers({ _id: guildId, memberCount }: Guild): Promise<number> {
  const linked = { guildId, state: 'linked' as const, present: true };
  const count = await Members.acrossGuilds.countDocuments(linked).hint(memberIndexes.linkedAt);
  return Math.max(0, memberCount - count);
}

/** The expected results when these pairs are imported, by the guild's own sight (PEOPLE-21). */
export async function countsOfPairs<P extends Pair>(
  guildId: string,
  pairs: readonly P[],
): Promise<{ counts: { new: number; known: number; contradicting: number; refused: number }; fresh: P[] }> {
  const counts = { new: 0, known: 0, contradicting: 0, refused: 0 };
  const { outcomeOf } = await whatGuildSees(guildId, pairs);
  const fresh: P[] = [];
  for (const pair of pairs) {
    const outcome = outcomeOf(pair);
    counts[outcome === 'imported' ? 'new' : outcome] += 1;
    if (outcome === 'imported') fresh.push(pair);
  }
  return { counts, fresh };
}
