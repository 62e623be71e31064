import { hkdfSync } from 'node:crypto';
import mongoose from 'mongoose';
import { discardMadeKeys, hasMadeKeys, type KeyPlaces, keyFileOf, type SecretKeys } from '../../config/secret-keys.js';
import { ConfigError } from '../../lib/start-error.js';
import { versionCollection } from './data-version.js';

/** Fingerprints of the keys that the data was written with: they tell keys apart, and give none away. */
interface KnownKeys {
  _id: 'known';
  secretsKey: string;
  botTokenKeys: { kid: string; fingerprint: string }[];
}

/** The keys of this process, and where it has them from. */
export interface KeysInUse extends SecretKeys {
  places: KeyPlaces;
}

/** Which of the keys are not those that the data was written with. */
export interface KeyMismatch {
  secretsKey: boolean;
  botTokenKeys: boolean;
}

const knownKeys = () => mongoose.connection.collection<KnownKeys>('known_keys');

function fingerprint(key: string | Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'rolelink key fingerprint', 12)).toString('base64url');
}

const fingerprintsOf = ({ secretsKey, botTokenKeys }: SecretKeys): Omit<KnownKeys, '_id'> => ({
  secretsKey: fingerprint(secretsKey),
  botTokenKeys: botTokenKeys.map(({ kid, secret }) => ({ kid, fingerprint: fingerprint(secret) })),
});

const readKnown = (): Promise<KnownKeys | null> => knownKeys().findOne({ _id: 'known' });

/** Whether a service has noted its keys with the data. */
export const hasKnownKeys = async (): Promise<boolean> => (await readKnown()) !== null;

/** How keys differ from those of the data; null: not at all, or there is nothing yet to compare with. */
export async function mismatchOf(keys: SecretKeys): Promise<KeyMismatch | null> {
  const known = await readKnown();
  return known === null ? null : compared(known, fingerprintsOf(keys));
}

/** Of the keys of bot tokens one has to be known: the others may be new, or have been taken away (ENV-19). */
function compared(known: Omit<KnownKeys, '_id'>, own: Omit<KnownKeys, '_id'>): KeyMismatch | null {
  const signed = new Set(known.botTokenKeys.map((each) => each.fingerprint));
  const secretsKey = known.secretsKey !== own.secretsKey;
  const botTokenKeys = !own.botTokenKeys.some((each) => signed.has(each.fingerprint));
  return secretsKey || botTokenKeys ? { secretsKey, botTokenKeys } : null;
}

/**
 * Refuses keys that the data was not written with; the first ones are noted. Keys that were made just now for data that
 * is older don't fit either.
 * @throws ConfigError saying what doesn't fit, what to bring back, and what is lost otherwise.
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

/** What the data says of its keys, which is what these are if it has none yet; null: it was written without these. */
async function firstOrKnown(
  { places }: KeysInUse,
  own: Omit<KnownKeys, '_id'>,
): Promise<Omit<KnownKeys, '_id'> | null> {
  const known = await readKnown();
  if (known !== null) return known;
  if (hasMadeKeys(keyFileOf(places)) && (await hasData())) return null;
  const insert = { upsert: true, returnDocument: 'after' } as const;
  return knownKeys().findOneAndUpdate({ _id: 'known' }, { $setOnInsert: own }, insert);
}

/** Whether a service has run on this database, before it noted its keys. */
const hasData = async (): Promise<boolean> =>
  (await mongoose.connection.collection(versionCollection).findOne()) !== null;

/** Notes these keys as those of the data, whichever it was written with. */
export async function acceptKeys(keys: SecretKeys): Promise<void> {
  await knownKeys().updateOne({ _id: 'known' }, { $set: fingerprintsOf(keys) }, { upsert: true });
}

/** What doesn't fit, what to bring back, and what is lost without it. */
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
