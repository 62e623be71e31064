import { isDeepStrictEqual } from 'node:util';
import { trusted } from 'mongoose';
import { type Actor, systemActor } from '../../core/actors/actor.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { PatientWork } from '../../lib/patient-work.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { linksByItself } from '../members/consent-rules.js';
import { endLink, type LinkCause, linkMember, linkProvenMember, scheduleLink } from '../members/member-links.js';
import { type GameIdentity, type GuildWord, type Member, Members } from '../members/member-model.js';
import { renameMember } from '../members/member-names.js';
import { findMember } from '../members/member-service.js';
import type { PendingSync } from '../members/member-sync-fields.js';
import { announceSync } from '../members/pending-syncs.js';
import { gameCreatedAtOf, isOldEnough, oldEnoughAt } from './account-age.js';
import { reportAccountChanged } from './account-changes.js';
import { completeChoice } from './account-choosing.js';
import { dropGameAccount, endReplacedBy } from './account-ending.js';
import { type Candidate, candidatesOf, wordOf } from './account-in-use.js';
import {
  Accounts,
  countingIn,
  idsIn,
  isProof,
  ofPerson,
  personOfAccount,
  proofsOf,
  removeAccount,
  type StoredAccount,
  wordId,
} from './account-model.js';

// Links follow accounts, and another process may change an account at any moment. So members are linked only under the
// account's lease, from its stored state. Each change settles the account afterwards, which ends links that came too
// late.

/** The guild in which an account was proved (null: none), the actor, and the person's names there. */
interface ProofMade {
  guildId: string | null;
  chatUsername: string;
  game: GameIdentity;
  actor: Actor;
}

/**
 * Links the member in the proof's guild if the account is still theirs. Then updates their other guilds and clears the
 * mark that asked for it. Can be repeated and interrupted at any point; without a proof it does nothing for a settled
 * account. Returns the account that it used.
 */
export function settleAccount(chatUserId: string, proof?: ProofMade): Promise<StoredAccount | null> {
  return withLease(`account:${chatUserId}`, async () => {
    const accounts = await endReplaced(await Accounts.find(ofPerson(chatUserId)).lean<StoredAccount[]>());
    const proven = proof && provenAmong(accounts, proof);
    if (proof?.guildId && proven) await linkProven({ ...proof, guildId: proof.guildId }, proven, accounts);
    const unsettled = accounts.flatMap(({ unsettled: mark, ...account }) => (mark ? { account, mark } : []));
    unsettled.sort((a, b) => Number(a.mark.since) - Number(b.mark.since));
    for (const { account, mark } of unsettled) await settleOne(chatUserId, accounts, { account, mark });
    return proven ?? proofsOf(accounts)[0] ?? null;
  });
}

/** Ends accounts that a later proof in another place replaces, and returns the accounts as they are then. */
async function endReplaced(accounts: readonly StoredAccount[]): Promise<readonly StoredAccount[]> {
  let isChanged = false;
  for (const account of accounts) isChanged = (await endReplacedBy(account)) || isChanged;
  const [first] = accounts;
  if (!isChanged || first === undefined) return accounts;
  return Accounts.find(ofPerson(personOfAccount(first))).lean<StoredAccount[]>();
}

/** The account that was proved: the person's own proof before the guild's word. */
function provenAmong(accounts: readonly StoredAccount[], { guildId, game }: ProofMade): StoredAccount | undefined {
  const same = accounts.filter(({ gameUserId }) => gameUserId === game.gameUserId);
  return same.find(isProof) ?? same.find((account) => account.guildId === guildId);
}

/** Links the member where the account was proved. It becomes the choice for that guild unless it is the main one. */
async function linkProven(
  { guildId, chatUsername, game, actor }: ProofMade & { guildId: string },
  proven: StoredAccount,
  accounts: readonly StoredAccount[],
): Promise<void> {
  const chatUserId = personOfAccount(proven);
  const person = { chatUserId, chatUsername, game, word: wordOf(proven) };
  if (!isProof(proven)) return linkProvenMember(guildId, person, actor);
  await endWordsAgainst(proven, guildId, actor);
  await linkProvenMember(guildId, { ...person, isChosen: proven !== proofsOf(accounts)[0] }, actor);
}

/** Brings the guilds that one changed account concerns in line: a word's own guild, or all guilds of the person. */
async function settleOne(
  chatUserId: string,
  accounts: readonly StoredAccount[],
  { account, mark }: { account: StoredAccount; mark: NonNullable<StoredAccount['unsettled']> },
): Promise<void> {
  const where = { chatUserId, ...(account.guildId !== undefined && { guildId: account.guildId }) };
  for await (const member of Members.acrossGuilds.find(where).lean<Member>().cursor()) {
    const chosen = await completeChoice(member, accounts, { account, mark });
    await bringInLine(await keepChoice(chosen, accounts, { account, mark }), accounts, mark);
  }
  await reportAccountChanged(chatUserId);
  const settled = { _id: account._id, 'unsettled.id': mark.id };
  const isOver = account.gameUserId === undefined && (account.notices ?? []).length === 0;
  if (isOver) await removeAccount(settled);
  else await Accounts.updateOne(settled, { $unset: { unsettled: 1 } });
}

const settling = new PatientWork('account_settling');

/**
 * Settles accounts that changed before `before` and were left unsettled by a crash. An account that fails is left for
 * later.
 */
export async function settleAccountsLeft(before: Date, signal: AbortSignal): Promise<void> {
  const left = Accounts.find({ 'unsettled.since': trusted({ $lt: before }) }, { _id: 1 }).lean<{ _id: string }>();
  for await (const { _id } of left.cursor()) {
    if (signal.aborted) return;
    await settling.on(_id, () => settleAccount(personOfAccount({ _id })));
  }
}

/**
 * Links a stored member if their account is known (SYNC-51). Enqueues `pending`, the sync already pending, or an immediate
 * sync. `actor` is the cause. Returns whether the member was linked.
 */
export async function linkKnownMember(
  guildId: string,
  chatUserId: string,
  actor: Actor,
  pending?: PendingSync | 'as stored',
): Promise<boolean> {
  return withLease(`account:${chatUserId}`, async () => {
    const accounts = await Accounts.find(countingIn(chatUserId, guildId)).lean<StoredAccount[]>();
    const member = await findMember(guildId, chatUserId);
    if (accounts.length === 0 || member === null) return false;
    const owed = pending === 'as stored' ? member.owedSync : pending;
    // A person's own consent brings the guild the proof that they made elsewhere.
    return linkWhereAllowed(member, accounts, { actor, isProof: actor.id === chatUserId, pending: owed });
  });
}

/**
 * Links a person that joined a guild if their account is known, and leaves the join sync pending. Returns whether this
 * linked them.
 */
export async function linkJoiner(guildId: string, chatUserId: string): Promise<boolean> {
  return (
    (await hasAccount(guildId, chatUserId)) && linkKnownMember(guildId, chatUserId, systemActor('join'), 'as stored')
  );
}

const peoplePerRead = 1_000;

/** Whether a person has an account that may count in a guild; batched with lookups for others that join now. */
export const hasAccount = (guildId: string, chatUserId: string): Promise<boolean> =>
  accountsInCrowd.add(idsIn(chatUserId, guildId));

const accountsInCrowd = new Batcher<readonly string[], boolean>(
  async (people) => {
    const known = { _id: trusted({ $in: people.flat() }), gameUserId: trusted({ $exists: true }) };
    const found = await Accounts.find(known, { _id: 1 }).lean<{ _id: string }[]>();
    const ids = new Set(found.map(({ _id }) => _id));
    return people.map((theirs) => theirs.some((id) => ids.has(id)));
  },
  { most: peoplePerRead },
);

async function bringInLine(
  member: Member,
  accounts: readonly StoredAccount[],
  { reason, actor, provenIn }: NonNullable<StoredAccount['unsettled']>,
): Promise<void> {
  const by: Actor = { ...actor, role: null, platformAdmin: false };
  const games = await candidatesOf({ guildId: member.guildId, member }, accounts);
  if (games.length > 0) {
    // A new proof for the same account may come with new names.
    const same = games.find(({ game }) => member.state === 'linked' && member.gameUserId === game.gameUserId);
    if (same !== undefined) await renameMember(member, same.game);
    const cause = { actor: by, isProof: member.guildId !== provenIn };
    if (await linkWhereAllowed(member, accounts, cause)) announceSync(member, 'link');
  } else if (member.state === 'linked' && (await endLink(member, reason, by))) {
    announceSync(member, 'unlink');
  }
}

/** A guild's choice after a change: it follows a replacement, and ends with the last proof (ID-96). */
async function keepChoice(
  member: Member,
  accounts: readonly StoredAccount[],
  { account, mark }: { account: StoredAccount; mark: NonNullable<StoredAccount['unsettled']> },
): Promise<Member> {
  const { guildId, chatUserId, chosenGameUserId } = member;
  if (chosenGameUserId === undefined) return member;
  const [main] = proofsOf(accounts);
  const isReplaced = mark.replaces === chosenGameUserId && account.gameUserId !== undefined;
  if (main !== undefined && !isReplaced) return member;
  const next = isReplaced ? account.gameUserId : undefined;
  const change =
    next === undefined ? { $unset: { chosenGameUserId: 1 as const } } : { $set: { chosenGameUserId: next } };
  return (await Members.update({ guildId, chatUserId, chosenGameUserId }, change)) ?? member;
}

/**
 * Gives a member the account that their guild uses: a proved one, else the one by the guild's own word, unless an admin
 * or the guild's settings forbid it. If an account is too young for the guild, it waits, and the link to the previous
 * account ends.
 */
async function linkWhereAllowed(
  member: Member,
  accounts: readonly StoredAccount[],
  cause: LinkCause,
): Promise<boolean> {
  const { guildId, state } = member;
  const games = await candidatesOf({ guildId, member }, accounts);
  const [first] = games;
  if (first === undefined || isAsLinked(member, first)) return false;
  const settings = await readSettings(guildId);
  if (state !== 'linked' && !linksByItself(member, settings)) return false;
  for (const each of games) {
    if (isAsLinked(member, each)) return false;
    const waitsUntil = await tooYoungUntil(each.account, settings.verification.minimumAccountAgeDays);
    if (waitsUntil === null) return linkByAccount(member, each, cause);
    await scheduleLink(member, waitsUntil);
  }
  return state === 'linked' && endLink(member, 'transferred', cause.actor);
}

const isAsLinked = ({ state, gameUserId, word: former }: Member, { game, word }: Candidate): boolean =>
  state === 'linked' && gameUserId === game.gameUserId && isDeepStrictEqual(termsOf(former), termsOf(word));

/** The parts in a word that its author may change later. */
const termsOf = (word: GuildWord | undefined) => [word?.voucher, word?.keepsNickname];

/** A proof ends the guild's word that gives somebody else the same game account (PEOPLE-2). A word is no proof. */
export async function linkByAccount(
  member: Member,
  { account, game, word }: Candidate,
  cause: LinkCause,
): Promise<boolean> {
  const { guildId } = member;
  if (word === undefined) await endWordsAgainst(account, guildId, cause.actor);
  const isNews = cause.isProof && word === undefined && member.gameUserId !== game.gameUserId;
  return linkMember(member, { ...game, goneSince: account.goneSince }, { ...cause, isProof: isNews, word });
}

/** The other people are settled apart: their leases must not be awaited under this one. */
async function endWordsAgainst(proof: StoredAccount, guildId: string, actor: Actor): Promise<void> {
  const { gameUserId = '' } = proof;
  const others = { gameUserId, guildId, _id: trusted({ $ne: wordId(personOfAccount(proof), guildId) }) };
  const former = await dropGameAccount(others, { reason: 'transferred', actor });
  if (former !== null) void settling.on(former._id, () => settleAccount(personOfAccount(former)));
}

/** When to check again an account that is too young for a guild or has an unknown age; null: old enough. */
async function tooYoungUntil(account: StoredAccount, minimumDays: number): Promise<Date | null> {
  if (minimumDays === 0) return null;
  const now = clock.epochMs();
  try {
    const made = await gameCreatedAtOf(account);
    if (isOldEnough(made, minimumDays)) return null;
    // The guild may lower its minimum in the meantime.
    const latest = now + dayMs;
    return new Date(made === undefined ? latest : Math.min(oldEnoughAt(made, minimumDays).getTime(), latest));
  } catch (error) {
    if (!(error instanceof GamePlatformUnavailable)) throw error;
    return new Date(now + minuteMs);
  }
}
