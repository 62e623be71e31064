import { trusted } from 'mongoose';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Batcher } from '../../lib/batcher.js';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import type { DiscordPerson, GuildMember } from '../../platforms/discord/guild-members.js';
import { announceLookUp } from './look-up-changes.js';
import {
  type GameIdentity,
  type Member,
  Members,
  memberIndexes,
  namelessOne,
  newcomer,
  searchNames,
  shownChange,
} from './member-model.js';
import type { SyncTrigger } from './member-sync-fields.js';
import { isInNickname } from './nickname-names.js';
import { announceSync, pendingSync } from './pending-syncs.js';

export type { Member } from './member-model.js';

/** How long data is kept about people that left and never were linked. */
const keptMs = 30 * dayMs;

/** The member, linked or not, or null for a person never seen in the guild. Concurrent calls share one read. */
export function findMember(guildId: string, chatUserId: string): Promise<Member | null> {
  return reading.add({ guildId, chatUserId });
}

const membersPerRead = 100;

const reading = new Batcher<Pick<Member, 'guildId' | 'chatUserId'>, Member | null>(
  async (wanted) => {
    const [first, second] = wanted;
    if (first === undefined || second === undefined) return [first === undefined ? null : await findOneMember(first)];
    const guildIds = [...new Set(wanted.map(({ guildId }) => guildId))];
    const found = await Promise.all(guildIds.map((guildId) => findAmong(guildId, wanted)));
    const members = new Map(found.flat().map((member) => [`${member.guildId}:${member.chatUserId}`, member]));
    return wanted.map(({ guildId, chatUserId }) => members.get(`${guildId}:${chatUserId}`) ?? null);
  },
  { most: membersPerRead, atOnce: 2 },
);

async function findOneMember({ guildId, chatUserId }: Pick<Member, 'guildId' | 'chatUserId'>): Promise<Member | null> {
  const options = { limit: -1, hint: memberIndexes.chatUserId };
  const [found = null] = await readDirectly<Member>(Members.acrossGuilds, { guildId, chatUserId }, options);
  return found;
}

/** The members among these, in no order. */
export function findAmong(
  guildId: string,
  wanted: readonly Pick<Member, 'guildId' | 'chatUserId'>[],
): Promise<Member[]> {
  const ids = wanted.filter((one) => one.guildId === guildId).map(({ chatUserId }) => chatUserId);
  const theirs = { guildId, chatUserId: trusted({ $in: ids }) };
  return readDirectly<Member>(Members.acrossGuilds, theirs, { hint: memberIndexes.chatUserId });
}

export function membershipsOf(chatUserId: string): AsyncIterable<Member> {
  return Members.acrossGuilds.find({ chatUserId }).sort({ guildId: 1 }).lean<Member>().cursor();
}

/** The member. Throws NotFound `member_not_found`. */
export async function getMember(guildId: string, chatUserId: string): Promise<Member> {
  const member = await findMember(guildId, chatUserId);
  if (member === null) throw noSuchMember();
  return member;
}

export const noSuchMember = () => new NotFound('member_not_found', 'There is no such member.');

/**
 * The gateway reports a new or returning member: enqueues the link that their account gives (SYNC-51), and their roles.
 */
export async function memberJoined({ _id: guildId }: Guild, gatewayMember: GuildMember): Promise<void> {
  const { chatUserId } = gatewayMember;
  const member = await Members.upsert(
    { guildId, chatUserId },
    {
      $set: { present: true, presenceAt: clock.now(), joinUntold: true, ...pendingSync('join') },
      // Nothing is left on Discord.
      $unset: { left: 1 },
      $setOnInsert: { ...newcomer(gatewayMember), syncs: [] },
    },
  );
  announceLookUp(guildId, member.gameUserId);
  await keepPerson(member, gatewayMember, { isSynced: true });
  announceSync(member, 'join', gatewayMember);
}

/** Records a present person that was unknown or believed gone. */
export async function memberSeen(guildId: string, person: DiscordPerson): Promise<void> {
  const { chatUserId } = person;
  const made = { $setOnInsert: { ...newcomer(person), syncs: [] } };
  const there = { present: true, presenceAt: clock.now() };
  const member = await Members.upsert({ guildId, chatUserId }, { $set: there, ...made });
  announceLookUp(guildId, member.gameUserId);
  await keepPerson(member, person);
}

/** Records a present person after a missed join. Done at that moment, since they may leave during their sync. */
export async function markPresent(guildId: string, chatUserId: string): Promise<void> {
  const there = { $set: { present: true, presenceAt: clock.now() } };
  announceLookUp(guildId, (await Members.update({ guildId, chatUserId }, there))?.gameUserId);
}

/** Records an absent person; their link stays (SYNC-48). */
export async function markAbsent(guildId: string, chatUserId: string): Promise<void> {
  await settleAbsent(await Members.update({ guildId, chatUserId }, { $set: absentNow() }));
}

/** Records that a person left, even an unknown one: a page with Discord's members read earlier may still list them. */
export async function memberLeft(guildId: string, person: DiscordPerson): Promise<void> {
  const { chatUserId } = person;
  const made = { $setOnInsert: { ...newcomer(person), syncs: [] } };
  await settleAbsent(await Members.upsert({ guildId, chatUserId }, { $set: absentNow(), ...made }));
}

const absentNow = () => ({ present: false, presenceAt: clock.now() });

async function settleAbsent(member: Member | null): Promise<void> {
  if (member === null) return;
  const { guildId, chatUserId, gameUserId } = member;
  announceLookUp(guildId, gameUserId);
  if (!isErased(member)) return;
  await Members.remove({ guildId, chatUserId, chatUsername: namelessOne });
}

const isErased = ({ chatUsername, state }: Member): boolean => chatUsername === namelessOne && state !== 'linked';

/** Stores a person's new Discord name or picture in one guild. */
export async function keepPersonOf(guildId: string, person: DiscordPerson): Promise<void> {
  const member = await Members.findOne({ guildId, chatUserId: person.chatUserId });
  if (member !== null) await keepPerson(member, person);
}

/** Stores a person's new Discord name or picture in all their guilds. */
export async function keepPersonEverywhere(person: DiscordPerson): Promise<void> {
  for await (const member of membershipsOf(person.chatUserId)) await keepPerson(member, person);
}

/**
 * Stores a changed appearance on Discord, and enqueues the sync that it requires, unless one is running. Returns the
 * stored member.
 */
export async function keepPerson(member: Member, person: DiscordPerson, { isSynced = false } = {}): Promise<Member> {
  const change = isErased(member) ? null : shownChange(member, person);
  if (change === null) return member;
  const { guildId, chatUserId } = member;
  const { $set, $unset } = change;
  const isArrived = $unset?.pending !== undefined;
  const isRenamed = $set?.chatUsername !== undefined && !isSynced && (await isNicknameDue(member));
  const pending = isSynced ? {} : isArrived ? pendingSync('join') : isRenamed ? pendingSync('account') : {};
  const kept = await Members.update(
    { guildId, chatUserId },
    { $set: { ...$set, ...pending }, ...($unset && { $unset }) },
  );
  if (isArrived && !isSynced) announceSync(member, 'join');
  return kept ?? member;
}

/**
 * Whether a new Discord name changes the nickname: the template uses it, or Discord made nothing from the nickname
 * under the old name.
 */
async function isNicknameDue(member: Member): Promise<boolean> {
  const isNameless = member.givenNickname === null && member.state === 'linked' && member.present;
  return isNameless || (await isInNickname(member, ['chatUsername']));
}

/**
 * A member has accepted the guild's rules or completed its onboarding, which may have dropped roles: enqueues a sync.
 */
export async function memberArrived(guildId: string, chatUserId: string): Promise<void> {
  const there = { guildId, chatUserId, present: true };
  const member = await Members.update(there, { $set: pendingSync('join'), $unset: { pending: 1 } });
  if (member !== null) announceSync(member, 'join');
}

/** How many linked people in the guild have a game account that is gone (VER-31). */
export function countGoneAccounts(guildId: string): Promise<number> {
  const gone = { guildId, goneSince: trusted({ $exists: true }), state: 'linked' as const, present: true };
  return Members.acrossGuilds.countDocuments(gone).hint({ guildId: 1, goneSince: 1 }).exec();
}

/** Stores new Roblox names, for the same game account only. `pending`: the sync that this requires. */
export async function keepNames(member: Member, game: GameIdentity, pending: Partial<Pick<Member, 'owedSync'>> = {}) {
  const { guildId, chatUserId, chatUsername } = member;
  const { gameUserId, gameUsername, gameDisplayName } = game;
  const names = searchNames(chatUsername, gameUsername, gameDisplayName);
  const asRead = { guildId, chatUserId, chatUsername, gameUserId };
  const kept = await Members.update(asRead, { $set: { gameUsername, gameDisplayName, names, ...pending } });
  if (kept !== null) announceLookUp(guildId, gameUserId);
}

/** Removes people that left a guild 30 days ago and never were linked there. */
export async function purgeNeverLinked(now: Date): Promise<void> {
  const left = {
    state: 'joined' as const,
    present: false,
    presenceAt: trusted({ $lt: new Date(now.getTime() - keptMs) }),
  };
  // Their events must be relayed first.
  const isOver = { 'outbox.0': trusted({ $exists: false }) };
  await removeInSteps(Members.acrossGuilds, { ...left, ...isOver }, memberIndexes.neverLinked);
}

/** Enqueues a sync for a linked member that is present, and announces it. */
export async function enqueueSync(guildId: string, chatUserId: string, trigger: SyncTrigger): Promise<void> {
  const owing = { guildId, chatUserId, state: 'linked' as const, present: true };
  const member = await Members.update(owing, { $set: pendingSync(trigger) });
  if (member !== null) announceSync(member, trigger);
}
