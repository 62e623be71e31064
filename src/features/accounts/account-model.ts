import { model, type QueryFilter, trusted } from 'mongoose';
import { z } from 'zod';
import { type Actor, storedActor, systemActor } from '../../core/actors/actor.js';
import { proofMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { type UnlinkReason, unlinkReason } from '../members/member-links.js';
import { guildWord, type Member } from '../members/member-model.js';

/** How an account was linked: proved by its person, or imported because a guild vouches for it. */
export const accountMethod = z.enum(['imported', ...proofMethod.options]);
export type AccountMethod = z.output<typeof accountMethod>;

/** An imported account's source: a list, or another bot's API. */
export const importSource = z.enum(['list', 'bloxlink', 'rover', 'rowifi']);
export type ImportSource = z.output<typeof importSource>;

/**
 * Roblox's facts about a game account other than its names, for conditions (ROBLOX-14). They count for this account
 * only.
 */
const traitsFields = z.strictObject({
  gameUserId: z.string(),
  premium: z.boolean().exactOptional(),
  premiumReadAt: z.date().exactOptional(),
  /** By `itemKey`; null: the inventory was private. */
  items: z.array(z.strictObject({ item: z.string(), owned: z.boolean().nullable(), readAt: z.date() })),
});
export type StoredTraits = z.output<typeof traitsFields>;

/** A pending message to the person: another actor changed their account. */
const noticeFields = z.strictObject({
  id: z.string(),
  kind: z.enum(['set', 'transferred', 'removed']),
  /** The account that they now have (`set`), or have lost. */
  gameUserId: z.string(),
  gameUsername: z.string(),
  since: z.date(),
});
export type AccountNotice = z.output<typeof noticeFields>;

/**
 * A stored account: a person's proof, which counts on the whole platform, or one guild's word, which counts in that
 * guild alone (ID-60). Without a game account it stays only until every guild and the person have learned about the
 * link's end. `_id` is one of the person's places for a proof (`placesOf`); for a word `chatUserId@guildId`.
 */
const storedAccountFields = z.strictObject({
  _id: z.string(),
  gameUserId: z.string().exactOptional(),
  gameUsername: z.string().exactOptional(),
  gameDisplayName: z.string().exactOptional(),
  method: accountMethod.exactOptional(),
  importedFrom: importSource.exactOptional(),
  /** The import that gave it, `pim_…`. Missing in older versions' imported accounts. */
  importId: z.string().exactOptional(),
  /** For a word: the guild in which alone it counts, and its author. */
  guildId: z.string().exactOptional(),
  voucher: guildWord.shape.voucher.exactOptional(),
  keepsNickname: guildWord.shape.keepsNickname,
  linkedAt: z.date().exactOptional(),
  /** For a proof: when its person made it their main account. The latest is the main one (ID-93). */
  mainSince: z.date().exactOptional(),
  /** The creation date at Roblox. Absent if it was not read yet. */
  gameCreatedAt: z.date().exactOptional(),
  provenBy: z.string().exactOptional(),
  /** The first reading from Roblox that found it deleted or banned. The next reading has to confirm it. */
  missingSince: z.date().exactOptional(),
  /** When that was confirmed. */
  goneSince: z.date().exactOptional(),
  namesReadAt: z.date().exactOptional(),
  /** Only for people in a guild whose mappings need them. */
  traits: traitsFields.exactOptional(),
  /**
   * Set in the change's write, and cleared once every guild of the person is up to date. After a crash the job
   * `settle-accounts` continues.
   */
  unsettled: z
    .strictObject({
      id: z.string(),
      reason: unlinkReason,
      actor: storedActor,
      since: z.date(),
      /**
       * The guild whose own verification session reports the link; the other guilds learn about it when they are
       * updated.
       */
      provenIn: z.string().exactOptional(),
      /** The account that this one replaces. A guild that used it by choice uses this one (ID-28). */
      replaces: z.string().exactOptional(),
      /** When that one had been linked. Missing in older versions' marks. */
      replacesLinkOf: z.date().exactOptional(),
      /** The guilds that use this account by the person's choice from `since` on. */
      chosenFor: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  notices: z.array(noticeFields).exactOptional(),
});
type StoredFields = z.output<typeof storedAccountFields>;
export interface StoredAccount extends StoredFields, WithOutbox {}

type LinkField = 'gameUserId' | 'gameUsername' | 'gameDisplayName' | 'method' | 'linkedAt';

/** The fact that a chat user owns a game account: a proof, or a guild's word if it has a `guildId`. */
export type Account = Omit<StoredFields, 'unsettled' | 'notices' | LinkField> & Required<Pick<StoredFields, LinkField>>;

/** The index for accounts with a game account, by the time their names were read. */
export const byNamesReadAt = 'namesReadAt_1';

const schema = schemaOf<StoredAccount>('accounts', storedAccountFields);
// One game account is proved by one chat user at a time, and by one more at most by each guild's word (ID-4, ID-60).
schema.index(
  { gameUserId: 1, guildId: 1 },
  { unique: true, partialFilterExpression: { gameUserId: { $type: 'string' } } },
);
// Finds accounts that settle-accounts has left to do.
schema.index({ 'unsettled.since': 1 }, { partialFilterExpression: { 'unsettled.since': { $exists: true } } });
// Finds accounts that need a second reading.
schema.index({ missingSince: 1 }, { partialFilterExpression: { missingSince: { $exists: true } } });
// Finds the accounts with the oldest names.
schema.index({ namesReadAt: 1 }, { name: byNamesReadAt, partialFilterExpression: { gameUserId: { $type: 'string' } } });

// Finds accounts with unsent notices.
schema.index({ 'notices.since': 1 }, { partialFilterExpression: { 'notices.since': { $exists: true } } });

giveOutbox(schema);

export const Accounts = model<StoredAccount>('Account', schema);
declareDueTime({ model: Accounts, field: 'missingSince', hint: { missingSince: 1 }, longestMs: 0 });
declareDueTime({ model: Accounts, field: 'unsettled.since', hint: { 'unsettled.since': 1 }, longestMs: 0 });
declareDueTime({
  ...{ model: Accounts, field: 'notices.since', written: 'notices.$[].since' },
  ...{ hint: { 'notices.since': 1 }, longestMs: 0 },
});

/** Where a linked member's imported account came from; null for any other. */
export const importSourceOf = (member: Pick<Member, 'word'> | null): ImportSource | null =>
  importSource.safeParse(member?.word?.importedFrom).data ?? null;

/** A link's fields. An account without these fields has no game account. */
export const gameFields = {
  gameUserId: 1,
  gameUsername: 1,
  gameDisplayName: 1,
  method: 1,
  linkedAt: 1,
  mainSince: 1,
  gameCreatedAt: 1,
  provenBy: 1,
  importedFrom: 1,
  importId: 1,
  voucher: 1,
  keepsNickname: 1,
  missingSince: 1,
  goneSince: 1,
  namesReadAt: 1,
} as const;

/** How many game accounts a person may prove (ID-93). Their places are ids, which keep the limit. */
export const mostAccounts = 5;

/** The ids for a person's proof places. The first place is the chatUserId itself. */
export const placesOf = (chatUserId: string): string[] => [
  chatUserId,
  ...Array.from({ length: mostAccounts - 1 }, (_, n) => `${chatUserId}@${n + 2}`),
];

/** The id for a guild's word about a person. */
export const wordId = (chatUserId: string, guildId: string): string => `${chatUserId}@${guildId}`;

/** An account's chatUserId. */
export const personOfAccount = ({ _id }: Pick<StoredAccount, '_id'>): string => _id.split('@', 1)[0] ?? _id;

/** A person's proofs and all guilds' words about them. No id has a sign between `@` and `A`. */
export const ofPerson = (chatUserId: string): QueryFilter<StoredAccount> => ({
  $or: [{ _id: chatUserId }, { _id: trusted({ $gte: `${chatUserId}@`, $lt: `${chatUserId}A` }) }],
});

/** The account ids that may count in one guild: a person's proofs, and that guild's word. */
export const idsIn = (chatUserId: string, guildId: string): string[] => [
  ...placesOf(chatUserId),
  wordId(chatUserId, guildId),
];

export const countingIn = (chatUserId: string, guildId: string): QueryFilter<StoredAccount> => ({
  _id: trusted({ $in: idsIn(chatUserId, guildId) }),
});

/** A person's game account proofs. */
export const provedBy = (chatUserId: string): QueryFilter<StoredAccount> => ({
  _id: trusted({ $in: placesOf(chatUserId) }),
  gameUserId: trusted({ $exists: true }),
});

/** The people with this game account, by a proof or a guild's word; each once. */
export async function ownersOf(gameUserId: string): Promise<string[]> {
  const owners = await Accounts.find({ gameUserId }, { _id: 1 }).lean<Pick<StoredAccount, '_id'>[]>();
  return [...new Set(owners.map(personOfAccount))];
}

export const isProof = ({ guildId }: Pick<StoredAccount, 'guildId'>): boolean => guildId === undefined;

/** The time by which a proof becomes the main one among `proofs`, even if the clock was set back. */
export function mainFromNow(proofs: readonly Pick<StoredAccount, 'mainSince'>[]): Date {
  const latest = proofs.map(({ mainSince }) => (mainSince?.getTime() ?? 0) + 1);
  return new Date(Math.max(clock.epochMs(), ...latest));
}

/** A person's proofs among stored accounts, the main one first (ID-93). Pure. */
export function proofsOf<A extends Pick<StoredAccount, 'guildId' | 'gameUserId' | 'mainSince' | 'linkedAt'>>(
  accounts: readonly A[],
): A[] {
  const at = ({ mainSince }: A): number => mainSince?.getTime() ?? 0;
  const proofs = accounts.filter((account) => isProof(account) && account.gameUserId !== undefined);
  return proofs.sort((a, b) => at(b) - at(a) || Number(a.linkedAt) - Number(b.linkedAt));
}

/** Marks an account so that its person's guilds are brought up to date. */
export function unsettledBy(reason: UnlinkReason, { kind, id, name }: Actor): NonNullable<StoredAccount['unsettled']> {
  return { id: newSecret(), reason, actor: { kind, id, name }, since: clock.now() };
}

/**
 * A stored account without the game account that a later proof took: the next start ends its links, and the account
 * that it replaces.
 */
export function withoutGame<T extends Partial<Pick<StoredAccount, 'unsettled'>>>(
  stored: T,
): T & Pick<StoredAccount, 'unsettled'> {
  const kept = Object.entries(stored).filter(([field]) => !(field in gameFields));
  const { replaces, replacesLinkOf } = stored.unsettled ?? {};
  const owed = {
    ...(replaces !== undefined && { replaces }),
    ...(replacesLinkOf !== undefined && { replacesLinkOf }),
  };
  const unsettled = { ...unsettledBy('transferred', systemActor('restore')), ...owed };
  return { ...(Object.fromEntries(kept) as T), unsettled };
}

/** Removes an account with nothing left to do. If its outbox still holds entries, the relay removes it later. */
export async function removeAccount(which: QueryFilter<StoredAccount>): Promise<void> {
  const filled = { ...which, 'outbox.0': trusted({ $exists: true }) };
  const kept = await Accounts.updateOne(filled, { $set: { removedAt: clock.now() }, $unset: { unsettled: 1 } });
  if (kept.matchedCount === 0) await Accounts.deleteOne(which);
}
