import { hkdfSync } from 'node:crypto';
import mongoose from 'mongoose';
import { discardMadeKeys, hasMadeKeys, type KeyPlaces, keyFileOf, type SecretKeys } from '../../config/secret-keys.js';
import { ConfigError } from '../../lib/start-error.js';
import { versionCollection } from './data-version.js';
import { serviceState } from './service-state.js';

/** Fingerprints for the keys used to write the data. They distinguish keys without revealing them. */
interface KnownKeys {
  _id: 'known_keys';
  secretsKey: string;
  botTokenKeys: { kid: string; fingerprint: string }[];
}

export interface KeysInUse extends SecretKeys {
  places: KeyPlaces;
}

export interface KeyMismatch {
  secretsKey: boolean;
  botTokenKeys: boolean;
}

const keysId = 'known_keys';

function fingerprint(key: string | Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'rolelink key fingerprint', 12)).toString('base64url');
}

const fingerprintsOf = ({ secretsKey, botTokenKeys }: SecretKeys): Omit<KnownKeys, '_id'> => ({
  secretsKey: fingerprint(secretsKey),
  botTokenKeys: botTokenKeys.map(({ kid, secret }) => ({ kid, fingerprint: fingerprint(secret) })),
});

/** Before the migration to data version 7, which needs the keys' check first, they stand in their own collection. */
const readKnown = async (): Promise<Omit<KnownKeys, '_id'> | null> =>
  (await serviceState<KnownKeys>().findOne({ _id: keysId })) ??
  mongoose.connection.collection<Omit<KnownKeys, '_id'>>('known_keys').findOne();

/** Whether a service has stored its key fingerprints with the data. */
export const hasKnownKeys = async (): Promise<boolean> => (await readKnown()) !== null;

/** The difference between these keys and the data's; null if there is none, or nothing to compare with yet. */
export async function mismatchOf(keys: SecretKeys): Promise<KeyMismatch | null> {
  const known = await readKnown();
  return known === null ? null : compared(known, fingerprintsOf(keys));
}

/** At least one bot token key must be known: the others may be new or removed (ENV-19). */
function compared(known: Omit<KnownKeys, '_id'>, own: Omit<KnownKeys, '_id'>): KeyMismatch | null {
  const signed = new Set(known.botTokenKeys.map((each) => each.fingerprint));
  const secretsKey = known.secretsKey !== own.secretsKey;
  const botTokenKeys = !own.botTokenKeys.some((each) => signed.has(each.fingerprint));
  return secretsKey || botTokenKeys ? { secretsKey, botTokenKeys } : null;
}

/**
 * Rejects keys that differ from the data's; the first ones are stored. Newly generated keys don't fit older data
 * either. @throws ConfigError with the mismatch, the keys to restore, and the data lost otherwise.
 */
export async function requireKnownKeys(keys: KeysInUse): Promise<void> {
  const own = fingerprintsOf(keys);
  const known = await firstOrKnown(keys, own);
  const mismatch = known === null ? { secretsKey: true, botTokenKeys: true } : compared(known, own);
  if (mismatch !== null) {
    discardMadeKeys(keyFileOf(keys.places));
    throw new ConfigError(mismatchInWords(mismatch, keys.places));
  }
  if (JSON.stringify(known?.botTokenKeys) !== JSON.stringify(own.botTokenKeys)) await acceptKeys(keys);
}

/**
 * The data's key fingerprints; these become the first ones if it has none. Null if the data was written without these
 * keys.
 */
async function firstOrKnown(
  { places }: KeysInUse,
  own: Omit<KnownKeys, '_id'>,
): Promise<Omit<KnownKeys, '_id'> | null> {
  const known = await readKnown();
  if (known !== null) return known;
  if (hasMadeKeys(keyFileOf(places)) && (await hasData())) return null;
  const insert = { upsert: true, returnDocument: 'after' } as const;
  return serviceState<KnownKeys>().findOneAndUpdate({ _id: keysId }, { $setOnInsert: own }, insert);
}

/** Whether a service has run on this database before it stored key fingerprints. */
const hasData = async (): Promise<boolean> =>
  (await mongoose.connection.collection(versionCollection).findOne()) !== null;

/** Stores these keys as the data's keys, regardless of the previous ones. */
export async function acceptKeys(keys: SecretKeys): Promise<void> {
  await serviceState<KnownKeys>().updateOne({ _id: keysId }, { $set: fingerprintsOf(keys) }, { upsert: true });
}

/** The mismatch, the keys to restore, and the data lost without them. */
export function mismatchInWords(mismatch: KeyMismatch, places: KeyPlaces): string {
  const wrong = keyNames.filter(([key]) => mismatch[key]);
  const variables = wrong.flatMap(([key, name]) => (places[key] === null ? [name] : []));
  const [file] = wrong.flatMap(([key]) => places[key] ?? []);
  const back = [
    ...(variables.length > 0 ? [`Set ${variables.join(' and ')} as before.`] : []),
    ...(file === undefined ? [] : [`Bring back ${file}, or take it out of a backup: rolelink keys --from FILE.`]),
  ];
  const { what, lost } = partsOf(mismatch);
  return `The stored data was written with other keys: ${what}. ${back.join(' ')} If they are lost: rolelink keys --accept. Then ${lost}.`;
}

const keyNames = [
  ['secretsKey', 'SECRETS_KEY'],
  ['botTokenKeys', 'BOT_TOKEN_KEYS'],
] as const;

function partsOf({ secretsKey, botTokenKeys }: KeyMismatch): { what: string; lost: string } {
  const [sealed, signed] = ['SECRETS_KEY did not encrypt it', 'BOT_TOKEN_KEYS signed none of its bot tokens'];
  const unreadable =
    'webhook endpoints need new secrets, people connect Linked Roles again, and names of erased people stay hidden';
  const ended = 'every bot token ends';
  if (!botTokenKeys) return { what: sealed, lost: unreadable };
  if (!secretsKey) return { what: signed, lost: ended };
  return { what: `${sealed}, and ${signed}`, lost: `${ended}, ${unreadable}` };
}
