import { mongo } from 'mongoose';
import { DatabaseStartError } from '../../lib/start-error.js';

/** A MongoDB address, split into the parts that may be shown. */
interface ReadAddress {
  /** Scheme, hosts and database. Name, password and options are left out, since options can contain passwords too. */
  shown: string;
  /** Whether the hosts can be identified with certainty. A password with `/`, `?` or `@` could look like one. */
  isClear: boolean;
  /** The parts that a driver message must not repeat. */
  secrets: string[];
}

const hosts = String.raw`(?:\[[\da-f:.%]+\]|[\w.%-]+)(?::\d{1,5})?`;
const hostsAndDatabase = new RegExp(String.raw`^(${hosts}(?:,${hosts})*)(?:/([\w%-]*))?(?:\?(.*))?$`, 'is');
/** MongoDB requires these characters to be encoded in a name or password. */
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
 * Rejects an ambiguous address before the driver takes part of its password for a host and prints it. `name`: the
 * operator's setting. @throws DatabaseStartError that explains password encoding without showing the password.
 */
export function requireClearAddress(uri: string, name: string): void {
  const { shown, isClear } = readAddress(uri);
  if (isClear) return;
  throw new DatabaseStartError(
    `The address ${shown} (${name}) can't be read. In its name, password and options write / ? # [ ] @ : and % encoded, as ` +
      `node -p "encodeURIComponent('…')" prints them.`,
  );
}

/** The reason a database can't be opened, without the address's name, password and options. */
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
