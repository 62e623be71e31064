import { createRequire } from 'node:module';
import type * as Yaml from 'js-yaml';
import { InvalidRequest } from './errors.js';
import { boundedText } from './given-text.js';

let loaded: typeof Yaml | undefined;

/** The package, loaded on first use: few starts read a YAML text. */
function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('js-yaml') as typeof Yaml;
  return loaded;
}

/** A YAML text's maximum size, in bytes. A JSON text may be larger: its parser doesn't block the process. */
const mostYamlBytes = 64 * 1024;
/** Maximum nesting for lists and mappings. A configuration has about twelve levels. */
const mostLevels = 32;
/** Maximum length for the parser's messages in answers: they quote the text. */
const longestReason = 200;

/** Whether a text exceeds the limit: more than 64 KiB, and not JSON. */
export const isOverYamlLimit = (text: string): boolean =>
  Buffer.byteLength(text) > mostYamlBytes && jsonIn(text) === null;

/**
 * Parses a YAML text; JSON is YAML too. The time grows only with the text's length. Whatever the parser throws is an
 * InvalidRequest with line and column. Aliases, directives, other tags and deep nesting are refused.
 */
export function readYaml(text: string): unknown {
  if (Buffer.byteLength(text) > mostYamlBytes) {
    const json = jsonIn(text);
    if (json === null)
      throw unreadable(`YAML may have ${mostYamlBytes / 1024} KiB. A larger document must be JSON`, text);
    return json.value;
  }
  requireOneDocument(boundedText(text, '', mostYamlBytes));
  try {
    const { CORE_SCHEMA: schema, constructFromEvents, parseEvents } = yaml();
    const events = parseEvents(text, { maxDepth: mostLevels });
    requirePlain(events, text);
    return constructFromEvents(events, { source: text, schema })[0] ?? null;
  } catch (error) {
    if (error instanceof yaml().YAMLException) throw unreadable(error.reason, text, error.mark?.position ?? 0);
    throw error instanceof InvalidRequest ? error : unreadable(String(error), text, 0);
  }
}

/**
 * A value as YAML that `readYaml` accepts. A large one is written as JSON, which is YAML too: other YAML would block
 * the process when written or read.
 */
export function yamlOf(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  if (Buffer.byteLength(json) > mostYamlBytes) return json;
  const written = yaml().dump(value, { quoteStyle: 'double' });
  return Buffer.byteLength(written) > mostYamlBytes ? json : written;
}

/** Null for a text that is not a JSON object. */
function jsonIn(text: string): { value: unknown } | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Document marks begin a line everywhere, so many of them are found without parsing. */
function requireOneDocument(text: string): void {
  const marks = text.match(/^(?:---|\.\.\.)(?=\s|$)/gm) ?? [];
  if (marks.length > 2) throw unreadable('it holds more than one document', text);
}

function requirePlain(events: readonly Yaml.Event[], text: string): void {
  const { DOCUMENT, ALIAS } = yaml().EVENT_ID;
  if (events.filter(({ type }) => type === DOCUMENT).length > 1) {
    throw unreadable('it holds more than one document', text);
  }
  for (const event of events) {
    if (event.type === ALIAS) throw unreadable('an alias is not taken', text, event.anchorStart - 1);
    if (event.type === DOCUMENT && event.directives.length > 0) throw unreadable('a directive is not taken', text, 0);
  }
}

function unreadable(reason: string, text: string, offset?: number): InvalidRequest {
  const before = text.slice(0, offset).split('\n');
  const place = offset === undefined ? '' : ` at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  const words = reason.length > longestReason ? `${reason.slice(0, longestReason)} …` : reason;
  return new InvalidRequest([{ path: '', message: `The body cannot be read: ${words}${place}` }]);
}
