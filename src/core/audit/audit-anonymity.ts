import { randomBytes } from 'node:crypto';
import { type QueryFilter, trusted } from 'mongoose';
import type { HeldAccount } from '../actors/actor.js';
import { type AuditEntry, AuditLog, aboutAccount, platformLog } from './audit-model.js';

/** A random name for an erased person in the log; it can't be traced back. */
export const newPseudonym = (): string => `erased_${randomBytes(4).toString('hex')}`;

/** Fields in `changes` that identify no person. Entries about an erased person keep only these. */
const impersonal = [
  'roles',
  'role',
  'group',
  'gameRole',
  'door',
  'state',
  'reason',
  'method',
  'attempt',
  'autoLinkBlocked',
  'consent',
  'trigger',
  'tookMs',
];

const impersonalChanges = {
  $arrayToObject: {
    $filter: {
      input: { $objectToArray: { $ifNull: ['$changes', {}] } },
      cond: { $in: ['$$this.k', impersonal] },
    },
  },
};

const entriesAtOnce = 1_000;

/** The guilds whose entries about a person name this Roblox account. */
export async function guildsNamingGame(chatUserId: string, gameUserId: string): Promise<string[]> {
  const each = sides.map((side) => AuditLog.acrossGuilds.distinct('guildId', namingGame(chatUserId, gameUserId, side)));
  return [...new Set((await Promise.all(each)).flat())].filter((guildId) => guildId !== platformLog);
}

/**
 * Entries about a person naming a Roblox account they have keep only impersonal changes. In these guilds, so do those
 * with a nickname, since it was made from an account's name. Can be repeated.
 */
export async function anonymiseGame(
  chatUserId: string,
  gameUserId: string,
  guildIds: readonly string[],
): Promise<void> {
  const isOfAccount = { $eq: ['$target.kind', 'account'] };
  const name = { $cond: [isOfAccount, '$target.id', '$target.name'] };
  const change = [{ $set: { changes: impersonalChanges, 'target.name': name } }];
  for (const side of sides) await changeAll(namingGame(chatUserId, gameUserId, side), change);
  const there = { 'target.id': chatUserId, guildId: trusted({ $in: [...guildIds] }) };
  for (const field of ['nickname', 'refused'])
    await changeAll({ ...there, [`changes.${field}`]: trusted({ $exists: true }) }, change);
}

const sides = ['from', 'to'] as const;

const namingGame = (chatUserId: string, gameUserId: string, side: (typeof sides)[number]) => ({
  'target.id': chatUserId,
  [`changes.gameUserId.${side}`]: gameUserId,
});

/**
 * Makes a person anonymous in all guilds' logs. `pseudonym` replaces them as actor and target; entries about them keep
 * only impersonal changes. Returns how many entries it changed. Can be repeated after a crash: it finds the rest.
 */
export async function anonymiseEntries(chatUserId: string, pseudonym = newPseudonym()): Promise<number> {
  const asTarget = await changeAll({ 'target.id': chatUserId }, [
    {
      $set: {
        'target.id': pseudonym,
        'target.name': pseudonym,
        changes: impersonalChanges,
        ...actorToo(chatUserId, pseudonym),
      },
    },
  ]);
  const asActor = await changeAll({ 'actor.id': chatUserId }, [{ $set: actorToo(chatUserId, pseudonym) }]);
  return asTarget + asActor;
}

/** Makes these accounts anonymous in entries about them without a member. Can be repeated after a crash. */
export async function anonymiseAccounts(accounts: readonly HeldAccount[], pseudonym = newPseudonym()): Promise<void> {
  const $set = { 'target.id': pseudonym, 'target.name': pseudonym, changes: impersonalChanges };
  for (const account of accounts) await changeAll(aboutAccount(account), [{ $set }]);
}

/** In entries about their own actions, a person is both actor and target; each is counted once. */
const actorToo = (chatUserId: string, pseudonym: string) => {
  const unlessOther = (field: string) => ({
    $cond: [{ $eq: ['$actor.id', chatUserId] }, pseudonym, `$actor.${field}`],
  });
  return { 'actor.name': unlessOther('name'), 'actor.id': unlessOther('id') };
};

/** Changes every entry that matches a filter, in batches. A changed entry must no longer match. */
async function changeAll(filter: QueryFilter<AuditEntry>, change: object[]): Promise<number> {
  let changed = 0;
  for (;;) {
    const found = await AuditLog.acrossGuilds.find(filter, { _id: 1 }).limit(entriesAtOnce).lean<{ _id: string }[]>();
    if (found.length === 0) return changed;
    const ids = found.map(({ _id }) => _id);
    const { modifiedCount } = await AuditLog.acrossGuilds.updateMany(
      { ...filter, _id: trusted({ $in: ids }) },
      change,
      {
        updatePipeline: true,
      },
    );
    changed += modifiedCount;
  }
}
