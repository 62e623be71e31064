import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Smaller random values are ids. */
const leastSecretBytes = 16;

/** This process's random values, in every form in which a secret is made from them. */
const canaries = new Set<string>();
/** How long those are. */
const lengths = new Set<number>();
/** Secrets that are no random value: from the environment, and phrases. */
const texts = new Set<string>();
let lines: string[] = [];

/**
 * Every secret in the service and the stand-ins comes from `randomBytes` (session tokens, verifications, interactions,
 * bots, OAuth, webhook secrets, keys). So watching that function collects them all.
 */
export function watchSecrets(): void {
  const { randomBytes } = crypto;
  const watched = (size: number, callback?: (error: Error | null, bytes: Buffer) => void) => {
    if (callback !== undefined) return randomBytes(size, callback);
    const bytes = randomBytes(size);
    if (size >= leastSecretBytes)
      for (const form of ['base64url', 'base64', 'hex'] as const) note(bytes.toString(form));
    return bytes;
  };
  Object.assign(crypto, { randomBytes: watched });
  syncBuiltinESMExports();
}

function note(secret: string): void {
  canaries.add(secret);
  lengths.add(secret.length);
}

/** Adds a secret that is not made from `randomBytes`. */
function noteSecretText(text: string): void {
  if (text.length >= 12) texts.add(text);
}

/** Adds the secrets among an environment's variables. */
export function noteEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(environment)) {
    if (!/_(TOKEN|SECRET|KEYS?)$/.test(name)) continue;
    for (const part of value.split(/[,:]/)) noteSecretText(part);
  }
}

/** Adds the phrases in an answer or a message, as JSON. */
export function noteSecretsIn(json: string): void {
  for (const [, named, shown] of json.matchAll(/"phrase":"([^"]+)"|```\\n([^`]+)\\n```/g)) {
    noteSecretText(named ?? shown ?? '');
  }
}

/** Adds a service process's log line, to be searched after the test file. */
export function keepLine(line: string): void {
  lines.push(line);
}

/** The kept lines with a secret in them, shortened, and forgets them. */
export function takeLeaks(): string[] {
  const leaks = lines.filter(hasSecret).map((line) => line.slice(0, 2_000));
  lines = [];
  return leaks;
}

/** Whether a log line holds a secret. */
export function hasSecret(line: string): boolean {
  for (const text of texts) if (line.includes(text)) return true;
  return [/[\w-]{21,}/g, /[A-Za-z\d+/=]{21,}/g].some((word) => (line.match(word) ?? []).some(endsInCanary));
}

/** A prefix, for example `whsec_` or `rlk_`, may precede it. */
const endsInCanary = (word: string): boolean => [...lengths].some((length) => canaries.has(word.slice(-length)));
