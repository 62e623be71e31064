import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { type Member, Members } from '../members/member-model.js';
import { findMember } from '../members/member-service.js';
import { dropGameAccount } from './account-ending.js';
import { Accounts, type StoredAccount, wordId } from './account-model.js';
import { settleAccount } from './account-settling.js';
import { givenBy, type ImportRun } from './imported-word.js';

/** An account that an import gave, as it is to be taken back. */
export interface GivenByImport extends ImportRun {
  guildId: string;
  chatUserId: string;
  gameUserId: string;
  /** The person's nickname before; absent if it is not known. */
  nickname?: string | null | undefined;
}

/**
 * The obstacle to taking an imported account back, by what the guild sees. `not_given`: its word is not there any more.
 * Null: none.
 */
export type UndoObstacle = 'not_given' | 'proved' | 'acted' | 'unlinked' | null;

/** Whether an imported account is still as its import has given it, and whether its person would lose something. */
export async function lookAtImported(given: GivenByImport): Promise<{ obstacle: UndoObstacle; isLinked: boolean }> {
  const { guildId, chatUserId } = given;
  const [member, word] = await Promise.all([
    findMember(guildId, chatUserId),
    Accounts.findOne(wordOf(given), { _id: 1 }).lean<Pick<StoredAccount, '_id'> | null>(),
  ]);
  const isLinked = member?.state === 'linked';
  return { obstacle: word === null ? 'not_given' : obstacleIn(member), isLinked };
}

function obstacleIn(member: Member | null): UndoObstacle {
  if (member?.state === 'linked' && member.word === undefined) return 'proved';
  if (member?.state === 'linked' && member.consent === 'given') return 'acted';
  return member?.state === 'unlinked' && member.autoLinkBlocked ? 'unlinked' : null;
}

/** The word as the import gave it: any later proof, import or unlink for the same has changed it. */
const wordOf = (given: GivenByImport) => ({
  ...{ _id: wordId(given.chatUserId, given.guildId), gameUserId: given.gameUserId },
  ...givenBy(given),
});

/**
 * Takes an imported account back: the person is unlinked in the guild, as by an admin but without a block, and their
 * next sync puts their former nickname back. Returns false if the account has changed since it was looked at. Can be
 * repeated after a crash.
 */
export async function takeBackImported(given: GivenByImport, actor: Actor): Promise<boolean> {
  const { guildId, chatUserId, gameUserId, nickname: formerNickname } = given;
  const linked = { guildId, chatUserId, state: 'linked' as const, gameUserId, word: trusted({ $exists: true }) };
  if (formerNickname !== undefined) await Members.update(linked, { $set: { formerNickname } });
  const former = await dropGameAccount(wordOf(given), { reason: 'admin', actor });
  await settleAccount(chatUserId);
  return former !== null;
}
