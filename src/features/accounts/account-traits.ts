import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { currentLane, isUrgent } from '../../lib/lane.js';
import { dayMs } from '../../lib/time.js';
import { type ItemKind, itemKind, readOwnedItems } from '../../platforms/roblox/game-inventory.js';
import { readCloudProfile, readGameUser } from '../../platforms/roblox/game-users.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import { itemsOf, type TraitCondition } from '../mappings/condition.js';
import { type GameItem, type GameTraits, itemKey, noTraits, unknownTraits } from '../mappings/game-traits.js';
import type { Member } from '../members/member-model.js';
import { reportAccountChanged } from './account-changes.js';
import {
  Accounts,
  countingIn,
  idsIn,
  personOfAccount,
  type StoredAccount,
  type StoredTraits,
} from './account-model.js';
import { enqueueReadings, enqueueTraitSyncs, needsReading } from './trait-readings.js';

/** An answer about an item is valid for a day; owned items are not read again before that (ROBLOX-18). */
const itemsCountMs = dayMs;
/** Premium is read daily (`refreshPremium`). While that fails, the last answer is valid for another day. */
const premiumCountsMs = 2 * dayMs;
/** A sync holds its lease during these reads. Anything that Roblox leaves unanswered is read in a separate turn. */
const whileSomebodyWaits: Patience = { totalMs: 8_000, attempts: 2 };

/** An account's stored traits that are still valid. Pure. */
function keptTraits({ gameUserId, gameCreatedAt, traits }: Partial<StoredAccount>): GameTraits {
  const ofIt = traits?.gameUserId === gameUserId ? traits : undefined;
  const now = clock.epochMs();
  const counting = (ofIt?.items ?? []).filter(({ readAt }) => now - readAt.getTime() < itemsCountMs);
  const owned = new Map(counting.map(({ item, owned: isOwned }) => [item, isOwned]));
  const isRead = ofIt?.premiumReadAt !== undefined && now - ofIt.premiumReadAt.getTime() < premiumCountsMs;
  return {
    premium: isRead ? (ofIt.premium ?? null) : null,
    ageDays: gameCreatedAt === undefined ? null : Math.floor((now - gameCreatedAt.getTime()) / dayMs),
    owns: (item) => owned.get(itemKey(item)) ?? null,
    isPrivate: counting.some(({ owned: isOwned }) => isOwned === null),
  };
}

/**
 * The stored traits of many linked members in a guild, by their ids, without a call to Roblox. With `enqueues`,
 * readings are enqueued for members with missing traits.
 */
export async function keptTraitsOf(
  guildId: string,
  members: readonly Pick<Member, 'chatUserId' | 'gameUserId' | 'goneSince'>[],
  wanted: readonly TraitCondition[],
  { enqueues }: { enqueues: boolean },
): Promise<ReadonlyMap<string, GameTraits>> {
  const linked = wanted.length === 0 ? [] : members.filter(({ gameUserId }) => gameUserId !== undefined);
  if (linked.length === 0) return new Map();
  const ids = linked.map(({ chatUserId }) => chatUserId);
  const fields = { gameUserId: 1, gameCreatedAt: 1, traits: 1 };
  const possible = ids.flatMap((id) => idsIn(id, guildId));
  const accounts = await Accounts.find({ _id: trusted({ $in: possible }) }, fields)
    .hint({ _id: 1 })
    .lean<StoredAccount[]>();
  const byUse = new Map(accounts.map((account) => [`${personOfAccount(account)} ${account.gameUserId}`, account]));
  const useOf = ({ chatUserId, gameUserId }: (typeof linked)[number]) => byUse.get(`${chatUserId} ${gameUserId}`);
  const traits = new Map(linked.map((member) => [member.chatUserId, keptOf(member, useOf(member))]));
  if (enqueues) await enqueueReadings(guildId, linked.filter((member) => isPending(member, wanted, traits)).map(idOf));
  return traits;
}

const idOf = ({ chatUserId }: Pick<Member, 'chatUserId'>): string => chatUserId;

function keptOf(
  { gameUserId, goneSince }: Pick<Member, 'gameUserId' | 'goneSince'>,
  account?: StoredAccount,
): GameTraits {
  if (goneSince !== undefined) return noTraits;
  return account?.gameUserId === gameUserId ? keptTraits(account ?? {}) : unknownTraits;
}

function isPending(
  { chatUserId }: Pick<Member, 'chatUserId'>,
  wanted: readonly TraitCondition[],
  traits: ReadonlyMap<string, GameTraits>,
): boolean {
  return needsReading(wanted, traits.get(chatUserId) ?? unknownTraits);
}

/**
 * The traits that conditions need from a linked member. Uses stored answers while they are valid; `fresh` reads Premium
 * again, and items not seen as owned. Traits that Roblox leaves unanswered are unknown, and read in a separate turn.
 * Never throws because of Roblox.
 */
export async function readTraits(
  member: Pick<Member, 'guildId' | 'chatUserId' | 'gameUserId'>,
  wanted: readonly TraitCondition[],
  { fresh }: { fresh: boolean },
): Promise<GameTraits> {
  if (wanted.length === 0) return unknownTraits;
  const { guildId, chatUserId, gameUserId = '' } = member;
  const account = await Accounts.findOne({ ...countingIn(chatUserId, guildId), gameUserId }).lean<StoredAccount>();
  if (account === null) return unknownTraits;
  const kept = keptTraits(account);
  const asked = wanted.filter((each) => isToBeAsked(each, kept, fresh));
  if (asked.length === 0) return kept;
  const read = await readAnew(gameUserId, asked);
  await keep(account, read, member.guildId);
  const now = keptTraits({ ...account, ...merged(account, read) });
  if (needsReading(wanted, now)) await enqueueReadings(member.guildId, [member.chatUserId], { afterFailure: true });
  return now;
}

function isToBeAsked(wanted: TraitCondition, kept: GameTraits, fresh: boolean): boolean {
  if (wanted.type === 'account_age') return kept.ageDays === null;
  if (!hasOpenCloud()) return false;
  if (wanted.type === 'premium') return fresh || kept.premium === null;
  const owns = kept.owns(wanted);
  return owns === null ? fresh || !kept.isPrivate : !owns && fresh;
}

/** Roblox's current answers; absent fields were not answered. */
interface TraitsRead {
  premium?: boolean;
  gameCreatedAt?: Date;
  /** Null: the inventory is private. */
  items: { item: string; owned: boolean | null; readAt: Date }[];
}

async function readAnew(gameUserId: string, asked: readonly TraitCondition[]): Promise<TraitsRead> {
  const isOfProfile = asked.some(({ type }) => type !== 'owns_item');
  const [profile, items] = await Promise.all([
    isOfProfile ? readGameUser(gameUserId).catch(asSilence) : null,
    readItems(gameUserId, itemsOf(asked)),
  ]);
  if (profile === null) return { items };
  const { createdAt: gameCreatedAt, premium } = profile;
  return { items, gameCreatedAt, ...(premium !== null && { premium }) };
}

async function readItems(gameUserId: string, items: readonly GameItem[]): Promise<TraitsRead['items']> {
  const read = itemKind.options.map((kind) =>
    readKind(
      gameUserId,
      kind,
      items.filter((item) => item.kind === kind),
    ),
  );
  return (await Promise.all(read)).flat();
}

async function readKind(gameUserId: string, kind: ItemKind, items: readonly GameItem[]): Promise<TraitsRead['items']> {
  if (items.length === 0) return [];
  const patience = { ...whileSomebodyWaits, yields: !isUrgent(currentLane().lane) };
  try {
    const ids = items.map(({ id }) => id);
    const owned = await readOwnedItems(gameUserId, kind, ids, patience);
    const readAt = clock.now();
    return items.map((item) => ({ item: itemKey(item), owned: owned?.has(item.id) ?? null, readAt }));
  } catch (error) {
    asSilence(error);
    return [];
  }
}

function asSilence(error: unknown): null {
  if (error instanceof GamePlatformUnavailable) return null;
  throw error;
}

/** The traits to store for an account once `read` is included. */
function merged({ gameUserId = '', gameCreatedAt, traits }: StoredAccount, read: TraitsRead) {
  const before = traits?.gameUserId === gameUserId ? traits : undefined;
  const premiumNow = read.premium === undefined ? {} : { premium: read.premium, premiumReadAt: clock.now() };
  const anew = new Set(read.items.map(({ item }) => item));
  const oldest = clock.epochMs() - itemsCountMs;
  const others = (before?.items ?? []).filter(({ item, readAt }) => !anew.has(item) && readAt.getTime() > oldest);
  const after: StoredTraits = { ...before, gameUserId, ...premiumNow, items: [...others, ...read.items] };
  const made = read.gameCreatedAt ?? gameCreatedAt;
  return { traits: after, ...(made !== undefined && { gameCreatedAt: made }) };
}

/**
 * Stores the traits with the account. Enqueues syncs in the person's other affected guilds first, so that a crash loses
 * none.
 */
async function keep(account: StoredAccount, read: TraitsRead, syncedIn?: string): Promise<void> {
  if (read.premium === undefined && read.gameCreatedAt === undefined && read.items.length === 0) return;
  const changed = changesOf(account, read);
  if (changed.length > 0) await enqueueTraitSyncs(account, new Set(changed), syncedIn);
  if (changed.includes('premium')) await reportAccountChanged(personOfAccount(account));
  const { _id, gameUserId } = account;
  await Accounts.updateOne({ _id, ...(gameUserId !== undefined && { gameUserId }) }, { $set: merged(account, read) });
}

function changesOf({ gameUserId, traits }: StoredAccount, read: TraitsRead): string[] {
  const before = traits?.gameUserId === gameUserId ? traits : undefined;
  const former = new Map((before?.items ?? []).map(({ item, owned }) => [item, owned]));
  const items = read.items.filter(({ item, owned }) => owned !== null && former.get(item) !== owned);
  const isOther = read.premium !== undefined && before?.premium !== read.premium;
  return [...items.map(({ item }) => item), ...(isOther ? ['premium'] : [])];
}

/** Reads Premium again for the `accounts` with a stored answer. Throws GamePlatformUnavailable. */
export async function refreshPremium(accounts: readonly StoredAccount[], patience: Patience): Promise<void> {
  if (!hasOpenCloud()) return;
  for (const account of accounts) {
    const { gameUserId, traits } = account;
    if (gameUserId === undefined || traits?.gameUserId !== gameUserId || traits.premium === undefined) continue;
    const premium = (await readCloudProfile(gameUserId, patience))?.premium ?? null;
    if (premium !== null) await keep(account, { premium, items: [] });
  }
}
