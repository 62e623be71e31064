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
import {
  endLink,
  forgetDueLink,
  type LinkCause,
  linkMember,
  linkProvenMember,
  scheduleLink,
} from '../members/member-links.js';
import { type GameIdentity, type Member, Members } from '../members/member-model.js';
import { renameMember } from '../members/member-names.js';
import { findMember } from '../members/member-service.js';
import type { PendingSync } from '../members/member-sync-fields.js';
import { announceSync } from '../members/pending-syncs.js';
import { gameCreatedAtOf, isOldEnough, oldEnoughAt } from './account-age.js';
import { reportAccountChanged } from './account-changes.js';
import { Accounts, removeAccount, type StoredAccount } from './account-model.js';
import { countsIn } from './proof-strength.js';

// Links follow accounts, and another process may change an account at any moment. So members are linked only under the
// account's lease, from its stored state. Each change settles the account afterwards, which ends links that came too
// late.

/** The guild in which an account was proved, the actor, and the person's names there. */
interface ProofInGuild {
  guildId: string;
  chatUsername: string;
  game: GameIdentity;
  actor: Actor;
}

/**
 * Links the member in the guild of the proof if the account is still theirs. Then updates their other guilds and clears
 * the mark that asked for it. Can be repeated and interrupted at any point; without a proof it does nothing for a
 * settled account. Returns the account that it used.
 */
export function settleAccount(chatUserId: string, proof?: ProofInGuild): Promise<StoredAccount | null> {
  return withLease(`account:${chatUserId}`, async () => {
    const account = await Accounts.findById(chatUserId).lean<StoredAccount>();
    const proven = proof !== undefined && account?.gameUserId === proof.game.gameUserId;
    if (proven) await linkProvenMember(proof.guildId, { chatUserId, ...proof }, proof.actor);
    if (!account?.unsettled) return account;
    for await (const member of Members.acrossGuilds.find({ chatUserId }).lean<Member>().cursor()) {
      await bringInLine(member, account, account.unsettled);
    }
    await reportAccountChanged(chatUserId);
    const settled = { _id: chatUserId, 'unsettled.id': account.unsettled.id };
    const isOver = account.gameUserId === undefined && (account.notices ?? []).length === 0;
    if (isOver) await removeAccount(settled);
    else await Accounts.updateOne(settled, { $unset: { unsettled: 1 } });
    return account;
  });
}

const settling = new PatientWork('account_settling');
const lateLinks = new PatientWork('late_links');

/**
 * Settles accounts that changed before `before` and were left unsettled by a crash. An account that fails is left for
 * later.
 */
export async function settleAccountsLeft(before: Date, signal: AbortSignal): Promise<void> {
  const left = Accounts.find({ 'unsettled.since': trusted({ $lt: before }) }, { _id: 1 }).lean<{ _id: string }>();
  for await (const { _id } of left.cursor()) {
    if (signal.aborted) return;
    await settling.on(_id, () => settleAccount(_id));
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
    const account = await Accounts.findById(chatUserId).lean<StoredAccount>();
    const member = await findMember(guildId, chatUserId);
    if (account === null || member === null) return false;
    const owed = pending === 'as stored' ? member.owedSync : pending;
    // A person's own consent brings the guild the proof that they made elsewhere.
    return linkWhereAllowed(member, account, { actor, isProof: actor.id === chatUserId, pending: owed });
  });
}

/**
 * Links a person that joined a guild if their account is known, and leaves the join sync pending. Returns whether this
 * linked them.
 */
export async function linkJoiner(guildId: string, chatUserId: string): Promise<boolean> {
  return (await hasAccount(chatUserId)) && linkKnownMember(guildId, chatUserId, systemActor('join'), 'as stored');
}

const peoplePerRead = 1_000;

/** Whether a person has a known account; batched with lookups for others that join at the same time. */
export const hasAccount = (chatUserId: string): Promise<boolean> => accountsInCrowd.add(chatUserId);

const accountsInCrowd = new Batcher<string, boolean>(
  async (chatUserIds) => {
    const known = { _id: trusted({ $in: [...chatUserIds] }), gameUserId: trusted({ $exists: true }) };
    const found = await Accounts.find(known, { _id: 1 }).lean<{ _id: string }[]>();
    const ids = new Set(found.map(({ _id }) => _id));
    return chatUserIds.map((id) => ids.has(id));
  },
  { most: peoplePerRead },
);

async function bringInLine(
  member: Member,
  account: StoredAccount,
  { reason, actor, provenIn }: NonNullable<StoredAccount['unsettled']>,
): Promise<void> {
  const by: Actor = { ...actor, role: null, platformAdmin: false };
  const game = gameOf(account);
  if (game !== null) {
    // A new proof of the same account may come with new names.
    if (member.state === 'linked' && member.gameUserId === game.gameUserId) await renameMember(member, game);
    const cause = { actor: by, isProof: member.guildId !== provenIn };
    if (await linkWhereAllowed(member, account, cause)) announceSync(member, 'link');
  } else if (member.state === 'linked' && (await endLink(member, reason, by))) {
    announceSync(member, 'unlink');
  }
}

/**
 * Gives a member the person's current account, unless an admin or the guild's settings forbid it. If the account is too
 * young for the guild, it waits, and the link to the previous account ends.
 */
async function linkWhereAllowed(member: Member, account: StoredAccount, cause: LinkCause): Promise<boolean> {
  const game = gameOf(account);
  if (game === null || (member.state === 'linked' && member.gameUserId === game.gameUserId)) return false;
  if (!countsIn(account, member.guildId)) {
    return member.state === 'linked' && endLink(member, 'transferred', cause.actor);
  }
  const settings = await readSettings(member.guildId);
  if (member.state !== 'linked' && !linksByItself(member, settings)) return false;
  const { minimumAccountAgeDays } = settings.verification;
  const waitsUntil = minimumAccountAgeDays === 0 ? null : await tooYoungUntil(account, minimumAccountAgeDays);
  if (waitsUntil === null) {
    const { goneSince, importedFrom } = account;
    return linkMember(member, { ...game, goneSince }, { ...cause, importedFrom });
  }
  await scheduleLink(member, waitsUntil);
  return member.state === 'linked' && endLink(member, 'transferred', cause.actor);
}

/** When to check again an account that is too young for a guild or has an unknown age; null: old enough. */
async function tooYoungUntil(account: StoredAccount, minimumDays: number): Promise<Date | null> {
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

/** Links members with accounts that had to get older, or that had an unknown age (SET-1). */
export async function linkDueMembers(now: Date, signal: AbortSignal): Promise<void> {
  const due = Members.acrossGuilds.find({ linkDueAt: trusted({ $lte: now }) }).lean<Member>();
  for await (const { guildId, chatUserId } of due.cursor()) {
    if (signal.aborted) return;
    await lateLinks.on(`${guildId} ${chatUserId}`, () => linkDueMember({ guildId, chatUserId }, now));
  }
}

async function linkDueMember(member: Pick<Member, 'guildId' | 'chatUserId'>, now: Date): Promise<void> {
  if (await linkKnownMember(member.guildId, member.chatUserId, systemActor('account-age')))
    announceSync(member, 'link');
  await forgetDueLink(member, now);
}

export function gameOf({ gameUserId, gameUsername, gameDisplayName }: Partial<GameIdentity>): GameIdentity | null {
  if (gameUserId === undefined || gameUsername === undefined || gameDisplayName === undefined) return null;
  return { gameUserId, gameUsername, gameDisplayName };
}
