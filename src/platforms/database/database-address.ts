import { mongo } from 'mongoose';
import { DatabaseStartError } from '../../lib/start-error.js';

/** An address of MongoDB, taken apart as far as it may be shown. */
interface ReadAddress {
  /** Scheme, hosts and database: neither name, password nor options, which can hold passwords too. */
  shown: string;
  /** Whether it is certain where the hosts are. A password with `/`, `?` or `@` in it would pass for them. */
  isClear: boolean;
  /** What the driver's own words must not repeat. */
  secrets: string[];
}

const hosts = String.raw`(?:\[[\da-f:.%]+\]|[\w.%-]+)(?::\d{1,5})?`;
const hostsAndDatabase = new RegExp(String.raw`^(${hosts}(?:,${hosts})*)(?:/([\w%-]*))?(?:\?(.*))?$`, 'is');
/** MongoDB's own rule: in a name and a password these have to be encoded. */
const nameAndPassword = /^[^:@/?#[\]]*(?::[^:@/?#[\]]*)?$/;

function readAddress(uri: string): ReadAddress {
  const [scheme = ''] = /^mongodb(?:\+srv)?:\/\//i.exec(uri) ?? [];
  const rest = uri.slice(scheme.length);
  const at = rest.lastIndexOf('@');
  const credentials = rest.slice(0, Math.max(at, 0));
  const parts = credentials.includes('?') ? null : hostsAndDatabase.exec(rest.slice(at + 1));
  const [, names, database = '', options = ''] = parts ?? [];
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const secretOptions = options.split('&').filter((option) => /^[^=]*(password|properties|token)/i.test(option));
  const values = secretOptions.map((option) => option.slice(option.indexOf('=') + 1));
  return {
    shown: names === undefined ? `${scheme}…` : `${scheme}${names}${database && `/${database}`}`,
    isClear: scheme !== '' && names !== undefined && nameAndPassword.test(credentials) && isEncoded(credentials),
    secrets: [uri, password, decoded(password), ...values, ...values.map(decoded)].filter((text) => text !== ''),
  };
}

function isEncoded(text: string): boolean {
  return !/%(?![\da-f]{2})/i.test(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Refuses an address whose parts can't be told apart, before the driver takes a part of its password for a host and names
 * it. `name`: what the operator gave it by.
 * @throws DatabaseStartError that says how to encode a password, and shows none.
 */
export function requireClearAddress(uri: string, name: string): void {
  const { shown, isClear } = readAddress(uri);
  if (isClear) return;
  throw new DatabaseStartError(
    `The address ${shown} (${name}) can't be read. In its name, password and options write / ? # [ ] @ : and % encoded, as ` +
      `node -p "encodeURIComponent('…')" prints them.`,
  );
}

/** Why a database can't be opened, without name, password and options of its address. */
export function connectionFault(uri: string, name: string, error: unknown): DatabaseStartError {
  const { shown, secrets } = readAddress(uri);
  const message = error instanceof Error ? error.message : String(error);
  const why = secrets.some((secret) => message.includes(secret)) ? 'an option of the address is wrong.' : message;
  const hint =
    error instanceof mongo.MongoServerError && [18, 8000].includes(Number(error.code))
      ? ' Look at name and password, and at authSource, the database that holds the user.'
      : '';
  return new DatabaseStartError(`Can't connect to MongoDB at ${shown} (${name}): ${why}${hint}`, { cause: error });
}
