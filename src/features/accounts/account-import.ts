import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { type GameIdentity, type Member, Members, memberIndexes } from '../members/member-model.js';
import { memberSeen } from '../members/member-service.js';
import { dropGameAccount } from './account-ending.js';
import { Accounts, type ImportSource, type StoredAccount } from './account-model.js';
import { findAccount, findAccountOfGame, takeGameAccount } from './account-service.js';
import { settleAccount } from './account-settling.js';
import { countsIn, GameAccountHeld } from './proof-strength.js';
import { findRefusedImports } from './refused-imports.js';

/** A pair of accounts that a guild vouches for. */
export interface ImportedPair {
  chatUserId: string;
  chatUsername: string;
  game: GameIdentity;
}

/**
 * The result for one pair. `known`: the person already has this account here, or any account that the guild may not
 * see. `contradicting`: the person has another account, or another person has this one. `refused`: the person has said
 * that it is not theirs.
 */
export type ImportOutcome = 'imported' | 'known' | 'contradicting' | 'refused';

interface ImportRun {
  importedFrom: ImportSource;
  since: Date;
}

/**
 * Gives a member an account that the guild vouches for (PEOPLE-1). It counts in that guild only, replaces no account,
 * and yields to any proof by the person. If the guild asks before it shows accounts, the person is asked. Can be
 * repeated after a crash.
 */
export async function importAccount(
  guildId: string,
  { chatUserId, chatUsername, game }: ImportedPair,
  { importedFrom, since }: ImportRun,
  actor: Actor,
): Promise<ImportOutcome> {
  const { gameUserId } = game;
  const before = await findAccount(chatUserId);
  const isSame = before?.gameUserId === gameUserId;
  if (before !== null && !isSame && !(await isHidden(before, guildId))) return 'contradicting';
  const owner = before ?? (await findAccountOfGame(gameUserId));
  if (owner !== null && owner._id !== chatUserId) return 'contradicting';
  await memberSeen(guildId, { chatUserId, username: chatUsername });
  if (before !== null && countsIn(before, guildId)) {
    // The same import did this before a crash.
    const isRepeated = before.method === 'imported' && before.importedFrom === importedFrom && before.linkedAt >= since;
    await settleAccount(chatUserId);
    return isSame && isRepeated ? 'imported' : 'known';
  }
  if ((await findRefusedImports([{ chatUserId, gameUserId }])).size > 0) return 'refused';
  try {
    await takeGameAccount({ chatUserId, chatUsername, guildId, game, method: 'imported', importedFrom }, actor);
  } catch (error) {
    if (!(error instanceof GameAccountHeld)) throw error;
    return 'contradicting';
  }
  await settleAccount(chatUserId);
  return 'imported';
}

/** Whether the account counts in the guild, which may not see it (PEOPLE-21). */
const isHidden = async (account: Pick<StoredAccount, '_id' | 'onlyIn'>, guildId: string): Promise<boolean> =>
  countsIn(account, guildId) && !(await linkedAmong(guildId, [account._id])).has(account._id);

/** Takes back a Roblox account that this import gave. Returns the person; null if the import gave it to no one. */
export async function revokeImport(
  guildId: string,
  gameUserId: string,
  { importedFrom, since }: ImportRun,
  actor: Actor,
): Promise<string | null> {
  const given = { gameUserId, method: 'imported' as const, importedFrom, onlyIn: [guildId] };
  const former = await dropGameAccount(
    { ...given, linkedAt: trusted({ $gte: since }) },
    { reason: 'transferred', actor },
  );
  if (former === null) return null;
  await settleAccount(former._id);
  return former._id;
}

/** The source of a linked person's account; null if it was proved. */
export async function importSourceOf(chatUserId: string, gameUserId: string): Promise<ImportSource | null> {
  const account = await findAccount(chatUserId);
  return account?.gameUserId === gameUserId ? (account.importedFrom ?? null) : null;
}

/** The first of these people to whom an import has given an account; null if there is none. */
export async function importedAmong(
  guildId: string,
  chatUserIds: readonly string[],
  { importedFrom, since }: ImportRun,
): Promise<string | null> {
  const given = { method: 'imported' as const, importedFrom, onlyIn: [guildId], linkedAt: trusted({ $gte: since }) };
  const theirs = { _id: trusted({ $in: [...chatUserIds] }), ...given };
  return (await Accounts.findOne(theirs, { _id: 1 }).lean<{ _id: string } | null>())?._id ?? null;
}

export async function linkedAmong(guildId: string, chatUserIds: readonly string[]): Promise<ReadonlySet<string>> {
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), state: 'linked' as const };
  const found = await Members.acrossGuilds
    .find(theirs, { chatUserId: 1, _id: 0 })
    .hint(memberIndexes.chatUserId)
    .lean<Pick<Member, 'chatUserId'>[]>();
  return new Set(found.map(({ chatUserId }) => chatUserId));
}

/** The approximate number of a guild's members without a link there, bots included. */
export async function countUnlinkedMembers({ _id: guildId, memberCount }: Guild): Promise<number> {
  const linked = { guildId, state: 'linked' as const, present: true };
  const count = await Members.acrossGuilds.countDocuments(linked).hint(memberIndexes.linkedAt);
  return Math.max(0, memberCount - count);
}

/** The expected result of an import of these pairs, judged by our own data alone. */
export async function countsOfPairs(
  guildId: string,
  pairs: readonly { chatUserId: string; gameUserId: string }[],
): Promise<{ new: number; known: number; contradicting: number; refused: number }> {
  const counts = { new: 0, known: 0, contradicting: 0, refused: 0 };
  const chatUserIds = pairs.map(({ chatUserId }) => chatUserId);
  const ofPeople = await accountsWhere('_id', chatUserIds);
  const ofGames = await accountsWhere(
    'gameUserId',
    pairs.map(({ gameUserId }) => gameUserId),
  );
  const refused = await findRefusedImports(pairs);
  const shown = await linkedAmong(guildId, chatUserIds);
  for (const { chatUserId, gameUserId } of pairs) {
    const own = ofPeople.get(chatUserId);
    const owner = ofGames.get(gameUserId);
    const counting = own?.gameUserId !== undefined && countsIn(own, guildId);
    if (counting && !shown.has(chatUserId)) counts.known += 1;
    else if ((own?.gameUserId ?? gameUserId) !== gameUserId || (owner?._id ?? chatUserId) !== chatUserId)
      counts.contradicting += 1;
    else if (counting) counts.known += 1;
    else if (refused.has(`${chatUserId} ${gameUserId}`)) counts.refused += 1;
    else counts.new += 1;
  }
  return counts;
}

async function accountsWhere(
  field: '_id' | 'gameUserId',
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, StoredAccount>> {
  const found = await Accounts.find({ [field]: trusted({ $in: [...ids] }) }, { gameUserId: 1, onlyIn: 1 }).lean<
    StoredAccount[]
  >();
  return new Map(found.map((account) => [account[field], account]));
}
