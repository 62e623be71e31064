import mongoose from 'mongoose';
import { clock } from '../../lib/clock.js';

interface FormerAccount {
  _id: string;
  gameUserId?: string;
  method?: string;
  importedFrom?: string;
  /** The guilds with the word that it rested on. */
  onlyIn?: string[];
  outbox?: unknown[];
  unsettled?: unknown;
  notices?: unknown[];
}

interface StoredMember {
  guildId: string;
  chatUserId: string;
}

interface StoredRefusal {
  _id: string;
  kind: string;
  guildId?: string;
  /** The chatUserId. */
  person: string;
  value: { gameUserId: string };
}

const collectionOf = <T extends mongoose.mongo.BSON.Document>(name: string) => mongoose.connection.collection<T>(name);

/**
 * Stores each account that rested on guilds' words as one word for each guild, and the refusals of imports by guild. An
 * import's author is known, and their roles are not; a code's author is not known.
 */
export async function storeWordsByGuild(): Promise<void> {
  // It would refuse the same account in two guilds.
  await collectionOf('accounts')
    .dropIndex('gameUserId_1')
    .catch((error: unknown) => {
      if (!(error instanceof mongoose.mongo.MongoServerError && [26, 27].includes(Number(error.code)))) throw error;
    });
  const former = collectionOf<FormerAccount>('accounts').find({ onlyIn: { $exists: true } });
  for await (const account of former) await splitAccount(account);
  const refusals = collectionOf<StoredRefusal>('remembered').find({
    kind: 'refused_import',
    guildId: { $exists: false },
  });
  for await (const refusal of refusals) await splitRefusal(refusal);
}

async function splitAccount(account: FormerAccount): Promise<void> {
  const { _id: chatUserId, onlyIn = [], outbox: _, unsettled: __, notices: ___, ...game } = account;
  for (const guildId of account.gameUserId === undefined ? [] : onlyIn) {
    const method = game.importedFrom === undefined ? 'game_code' : 'imported';
    const voucher = { chatUserId: method === 'imported' ? await importerIn(guildId) : null, ceilingRoleId: null };
    const word = { ...game, _id: `${chatUserId}@${guildId}`, guildId, method, voucher };
    await collectionOf<typeof word>('accounts').replaceOne({ _id: word._id }, word, { upsert: true });
    const { importedFrom } = game;
    const told = { method, ...(importedFrom !== undefined && { importedFrom }), voucher };
    const linked = { guildId, chatUserId, gameUserId: account.gameUserId, state: 'linked' };
    await collectionOf('members').updateOne(linked, { $set: { word: told } });
  }
  // Last, so that a kill before it leaves everything to be done again. Its notices and log entries stay to be sent.
  const ofLink = ['gameUserId', 'gameUsername', 'gameDisplayName', 'method', 'linkedAt', 'gameCreatedAt', 'provenBy'];
  const others = ['importedFrom', 'onlyIn', 'missingSince', 'goneSince', 'namesReadAt', 'traits'];
  const $unset = Object.fromEntries([...ofLink, ...others].map((field) => [field, '' as const]));
  const since = clock.now();
  const actor = { kind: 'system', id: 'migration', name: 'migration' };
  const unsettled = { id: `migration ${chatUserId}`, reason: 'transferred', actor, since };
  await collectionOf<FormerAccount>('accounts').updateOne({ _id: chatUserId }, { $unset, $set: { unsettled } });
}

/** The author behind the guild's newest import; null if the database no longer knows. */
async function importerIn(guildId: string): Promise<string | null> {
  const imports = collectionOf<{ _id: string; guildId: string; actor: { kind: string; id: string } }>('people_imports');
  const newest = await imports.findOne({ guildId }, { sort: { _id: -1 } });
  return newest?.actor.kind === 'user' ? newest.actor.id : null;
}

/** A refusal counted in every guild. It is kept for each guild its person is in. */
async function splitRefusal({ _id, ...refusal }: StoredRefusal): Promise<void> {
  const { person: chatUserId, value } = refusal;
  const refusals = collectionOf<StoredRefusal>('remembered');
  const guilds = collectionOf<StoredMember>('members').find({ chatUserId }, { projection: { guildId: 1 } });
  for await (const { guildId } of guilds) {
    const kept = { ...refusal, guildId };
    const key = `refused_import ${guildId} ${chatUserId} ${value.gameUserId}`;
    await refusals.replaceOne({ _id: key }, kept, { upsert: true });
  }
  await refusals.deleteOne({ _id });
}
