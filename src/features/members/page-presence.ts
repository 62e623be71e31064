import { mongo } from 'mongoose';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import type { DiscordPerson } from '../../platforms/discord/guild-members.js';
import { announceLookUp } from './look-up-changes.js';
import { type Member, Members, memberIndexes, namelessOne, newcomer, shownChange } from './member-model.js';

export type StoredMember = Pick<
  Member,
  'chatUserId' | 'chatUsername' | 'chatAvatar' | 'state' | 'present' | 'autoLinkBlocked' | 'consent'
> &
  Partial<
    Pick<
      Member,
      | 'gameUserId'
      | 'gameUsername'
      | 'gameDisplayName'
      | 'givenNickname'
      | 'askedNickname'
      | 'goneSince'
      | 'blockedBy'
      | 'refused'
      | 'namelessAs'
      | 'applying'
      | 'pending'
      | 'wentBy'
      | 'left'
      | 'contested'
      | 'differs'
      | 'syncFence'
      | 'word'
      | 'formerNickname'
      | 'chosenGameUserId'
      | 'leftOut'
      | 'facts'
    >
  >;

/** A page with Discord's members: all people with ids above `after` and, unless it is the last, up to `next`. */
export interface PeoplePage {
  guildId: string;
  after: string;
  next: string | null;
  people: readonly DiscordPerson[];
  /** The time just before Discord was asked for it. */
  askedAt: Date;
}

const projection = Object.fromEntries(
  ['chatUserId', 'chatUsername', 'chatAvatar', 'state', 'present', 'autoLinkBlocked', 'consent', 'gameUserId']
    .concat('gameUsername', 'gameDisplayName', 'givenNickname', 'askedNickname', 'goneSince', 'blockedBy', 'refused')
    .concat(
      'namelessAs',
      'applying',
      'pending',
      'wentBy',
      'left',
      'contested',
      'differs',
      'syncFence',
      'word',
      'formerNickname',
      'chosenGameUserId',
      'leftOut',
      'facts',
    )
    .map((field) => [field, 1]),
);

/** The stored members among these people. */
export function storedAmong(guildId: string, chatUserIds: readonly string[]): Promise<Map<string, StoredMember>> {
  return readStored({ guildId, chatUserId: { $in: chatUserIds } });
}

/** All stored members in a page's range, on it or not. */
export function storedInRange({ guildId, after, next }: Omit<PeoplePage, 'people' | 'askedAt'>) {
  return readStored({ guildId, ...range(after, next) });
}

async function readStored(filter: mongo.Filter<object>): Promise<Map<string, StoredMember>> {
  const found = Members.acrossGuilds.collection
    .find<StoredMember & mongo.BSON.Document>(filter, { projection: { _id: 0, ...projection } })
    .hint(memberIndexes.chatUserId);
  return new Map((await found.toArray()).map((member) => [member.chatUserId, member]));
}

/** Ids are numbers, stored as strings of 17 to 20 digits: strings sort like them only at equal length. */
function range(after: string, next: string | null): mongo.Filter<object> {
  if (BigInt(after) === 0n && next === null) return {};
  const id = { $convert: { input: '$chatUserId', to: 'decimal', onError: null } };
  const above = { $gt: [id, mongo.BSON.Decimal128.fromString(after)] };
  const upTo = next === null ? [] : [{ $lte: [id, mongo.BSON.Decimal128.fromString(next)] }];
  const among = next?.length === after.length && { chatUserId: { $gt: after, $lte: next } };
  return { ...among, $expr: { $and: [above, ...upTo] } };
}

/**
 * Brings `stored`, the members in the range on a page with Discord's members, up to date with the page. Those not on it
 * have left; those on it are present; unknown ones are added. With `isKept` this is written too. A change that the
 * gateway reported during the read stays.
 */
export async function keepPresence(page: PeoplePage, stored: Map<string, StoredMember>, isKept: boolean) {
  const { guildId, people, askedAt } = page;
  const there = new Set(people.map(({ chatUserId }) => chatUserId));
  const gone = [...stored.values()].filter(({ chatUserId, present }) => present && !there.has(chatUserId));
  const back = [...stored.values()].filter(({ chatUserId, present }) => !present && there.has(chatUserId));
  const fresh = people.filter(({ chatUserId }) => !stored.has(chatUserId));
  if (isKept) await setPresence(guildId, gone, false, askedAt);
  if (isKept) await setPresence(guildId, back, true, askedAt);
  for (const member of back) member.present = true;
  if (isKept) await keepShown(guildId, people, stored);
  const known = fresh.map((person) => ({
    chatUserId: person.chatUserId,
    ...newcomer(person),
    present: true,
    presenceAt: askedAt,
    syncs: [],
  }));
  for (const member of known) stored.set(member.chatUserId, member);
  if (!isKept || known.length === 0) return;
  const documents = known.map((member) => ({ guildId, ...member }));
  await Members.acrossGuilds.collection.insertMany(documents, { ordered: false }).catch(unlessStored);
}

async function setPresence(guildId: string, of: readonly StoredMember[], present: boolean, askedAt: Date) {
  if (of.length === 0) return;
  const chatUserId = { $in: of.map((member) => member.chatUserId) };
  const { collection } = Members.acrossGuilds;
  const hint = memberIndexes.chatUserId;
  const asRead = { guildId, chatUserId, present: !present, presenceAt: { $not: { $gte: askedAt } } };
  await collection.updateMany(asRead, { $set: { present, presenceAt: askedAt } }, { hint });
  announceLookUp(guildId, ...of.map(({ gameUserId }) => gameUserId));
  if (present || !of.some(({ chatUsername }) => chatUsername === namelessOne)) return;
  // Their events must be relayed first.
  const isOver = { 'outbox.0': { $exists: false } };
  const erased = { guildId, chatUserId, present, chatUsername: namelessOne, state: { $ne: 'linked' }, ...isOver };
  await collection.deleteMany(erased, { hint });
}

/**
 * Stores changed appearances of stored members. Anything stored since `stored` was read is newer than the page. No sync
 * is enqueued, since a page's reader plans all its members.
 */
async function keepShown(guildId: string, people: PeoplePage['people'], stored: Map<string, StoredMember>) {
  const writes = people.flatMap((person) => {
    const { chatUserId } = person;
    const member = stored.get(chatUserId);
    const update = member === undefined || member.chatUsername === namelessOne ? null : shownChange(member, person);
    if (member === undefined || update === null) return [];
    const { chatUsername, chatAvatar = { $exists: false }, gameUsername = { $exists: false } } = member;
    const asRead = { chatUsername, chatAvatar, gameUsername, pending: member.pending ?? { $exists: false } };
    return [{ updateOne: { filter: { guildId, chatUserId, ...asRead }, update, hint: memberIndexes.chatUserId } }];
  });
  if (writes.length > 0) await Members.acrossGuilds.collection.bulkWrite(writes, { ordered: false });
}

/** Throws the error, unless it only reports members stored in the meantime. */
function unlessStored(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}
