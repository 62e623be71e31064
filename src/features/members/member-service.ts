import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { NotFound } from '../../lib/errors.js';
import type { OutboxEvent } from '../../platforms/events/outbox.js';
import { endLink } from './member-links.js';
import {
  type GameIdentity,
  type Member,
  Members,
  namelessOne,
  newcomer,
  type OwedSync,
  pushSync,
  type SyncRecord,
  type SyncTrigger,
  searchNames,
} from './member-model.js';
import { announceSync, owedSync, paySync } from './owed-syncs.js';

export type { Member } from './member-model.js';

/** The member, linked or not, or null for somebody who was never seen in the guild. */
export function findMember(guildId: string, chatUserId: string): Promise<Member | null> {
  return Members.findOne({ guildId, chatUserId });
}

/** What every guild knows of a person. */
export function membershipsOf(chatUserId: string): AsyncIterable<Member> {
  return Members.acrossGuilds.find({ chatUserId }).sort({ guildId: 1 }).lean<Member>().cursor();
}

/** The same, for who must be known: throws NotFound `member_not_found`. */
export async function getMember(guildId: string, chatUserId: string): Promise<Member> {
  const member = await findMember(guildId, chatUserId);
  if (member === null) throw new NotFound('member_not_found', 'There is no such member.');
  return member;
}

export function countLinkedMembers(guildId: string): Promise<number> {
  return Members.count({ guildId, state: 'linked' });
}

/** How many people are linked in all guilds together; who is in several counts in each. */
export function countAllLinkedMembers(): Promise<number> {
  return Members.acrossGuilds.countDocuments({ state: 'linked' }).exec();
}

/**
 * Unlinks a member in one guild as its admin; the person's account and other guilds stay. They are linked here again
 * only by a new proof made here (SPEC §1). Throws NotFound `member_not_found` for who is not linked.
 */
export async function unlinkMember(guild: Guild, chatUserId: string, actor: Actor): Promise<void> {
  const member = await getMember(guild._id, chatUserId);
  if (!(await endLink(member, 'admin', actor))) {
    throw new NotFound('member_not_found', 'This member is not linked.');
  }
  announceSync(member, 'unlink');
}

/** Somebody came, or came back: owes them the link that their account gives (SPEC §6.8, §8) and their roles. */
export async function memberJoined({ _id: guildId }: Guild, person: { chatUserId: string; username: string }) {
  const { chatUserId, username } = person;
  const member = await Members.upsert(
    { guildId, chatUserId },
    {
      $set: { present: true, ...owedSync('join') },
      $setOnInsert: { ...newcomer(username), syncs: [] },
    },
  );
  await renameMember(member, username);
  announceSync(member, 'join');
}

/** Somebody is there whose coming we missed. Said when they are seen, not later: they may leave while they are synced. */
export async function markPresent(guildId: string, chatUserId: string): Promise<void> {
  await Members.update({ guildId, chatUserId }, { $set: { present: true } });
}

/** Somebody left: their link stays (SPEC §6.8). */
export async function markAbsent(guildId: string, chatUserId: string): Promise<void> {
  const member = await Members.update({ guildId, chatUserId }, { $set: { present: false } });
  if (member !== null && isErased(member)) await Members.remove({ guildId, chatUserId, chatUsername: namelessOne });
}

const isErased = ({ chatUsername, state }: Member): boolean => chatUsername === namelessOne && state !== 'linked';

/** Somebody changed their Discord name. */
export async function keepChatUsername(guildId: string, chatUserId: string, chatUsername: string): Promise<void> {
  const member = await Members.findOne({ guildId, chatUserId });
  if (member !== null) await renameMember(member, chatUsername);
}

async function renameMember(member: Member, chatUsername: string): Promise<void> {
  if (member.chatUsername === chatUsername || isErased(member)) return;
  const { guildId, chatUserId, gameUsername, gameDisplayName } = member;
  const known = [chatUsername, gameUsername, gameDisplayName].filter((name) => name !== undefined);
  await Members.update({ guildId, chatUserId }, { $set: { chatUsername, names: searchNames(...known) } });
}

/** What is kept of a sync with the member. */
export interface SyncNote {
  record: SyncRecord;
  /** What it made true: told of in the same write. */
  events: readonly OutboxEvent[];
  /** The debt that it has seen, and pays. */
  pays?: OwedSync | undefined;
}

/** Keeps what one sync did; the last ten are kept. Who was not known in the guild is from now on. */
export async function noteSync(
  guildId: string,
  { chatUserId, username }: { chatUserId: string; username: string },
  { record, events, pays }: SyncNote,
): Promise<void> {
  const change = {
    $push: { ...pushSync(record), ...(events.length > 0 && { outbox: { $each: [...events] } }) },
    $unset: { applying: 1, ...(record.nickname === null && { givenNickname: 1 }) },
  };
  const isPaid = pays !== undefined && (await paySync({ guildId, chatUserId, owedSync: pays }, change));
  if (!isPaid) {
    const made = { $setOnInsert: { ...newcomer(username), present: true } };
    await Members.upsert({ guildId, chatUserId }, { ...change, ...made });
  }
}

/** People rename themselves on Roblox; only the same game account's names are taken over. */
export async function keepNames(member: Member, game: GameIdentity): Promise<void> {
  const { guildId, chatUserId, chatUsername } = member;
  const { gameUserId, gameUsername, gameDisplayName } = game;
  const names = searchNames(chatUsername, gameUsername, gameDisplayName);
  const asRead = { guildId, chatUserId, chatUsername, gameUserId };
  await Members.update(asRead, { $set: { gameUsername, gameDisplayName, names } });
}

/** Who was linked at `since` or later, in all guilds, by the time of the link; `atOnce` in a piece. */
export async function* linkedSince(since: Date, atOnce: number) {
  const found = Members.acrossGuilds.collection.find<
    Required<Pick<Member, 'guildId' | 'chatUserId' | 'gameUserId' | 'linkedAt'>>
  >(
    { linkedAt: { $gte: since } },
    {
      sort: { linkedAt: 1 },
      hint: { linkedAt: 1 },
      batchSize: atOnce,
      projection: { guildId: 1, chatUserId: 1, gameUserId: 1, linkedAt: 1 },
    },
  );
  let piece = [];
  for await (const link of found) {
    piece.push(link);
    if (piece.length < atOnce) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Where the accounts of these people are linked, by gameUserId: the guilds in which the person is present. */
export async function guildsOfAccounts(chatUserIds: readonly string[]): Promise<Map<string, string[]>> {
  const theirs = { chatUserId: trusted({ $in: [...chatUserIds] }), state: 'linked' as const };
  const shown = { _id: 0, guildId: 1, gameUserId: 1, present: 1 } as const;
  const found = Members.acrossGuilds.find(theirs, shown).hint({ chatUserId: 1 });
  const guilds = new Map<string, string[]>();
  for (const { gameUserId = '', guildId, present } of await found.lean<Member[]>()) {
    const those = guilds.get(gameUserId) ?? [];
    guilds.set(gameUserId, present ? [...those, guildId] : those);
  }
  return guilds;
}

/** Owes somebody who is linked and present in a guild a sync, and says so. */
export async function oweSync(guildId: string, chatUserId: string, trigger: SyncTrigger): Promise<void> {
  const owing = { guildId, chatUserId, state: 'linked' as const, present: true };
  const member = await Members.update(owing, { $set: owedSync(trigger) });
  if (member !== null) announceSync(member, trigger);
}
