import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { CST, Parser, YAMLMap } from 'yaml';
import { InvalidRequest } from './errors.js';

let loaded: typeof Yaml | undefined;

/** The package, loaded on first use: few starts read a YAML text. */
function yaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}

/** Maximum size of a YAML text, in bytes. A JSON text may be larger: its parser doesn't block the process. */
const mostYamlBytes = 64 * 1024;
/** Maximum nesting of lists and mappings. A configuration has about twelve levels. */
const mostLevels = 32;
/** Maximum entries of one mapping, including the lines between them. */
const mostEntries = 250;
/** Maximum length of the parser's messages in answers: they quote the text. */
const longestReason = 200;

/** Whether a text exceeds the limit: more than 64 KiB, and not JSON. */
export const isOverYamlLimit = (text: string): boolean =>
  Buffer.byteLength(text) > mostYamlBytes && jsonIn(text) === null;

/**
 * Parses a YAML text; JSON is YAML too. The time grows only with the length of the text. Parsing stops at the first
 * error, and rejects aliases, other tags, deep nesting and very many keys. Throws InvalidRequest.
 */
export function readYaml(text: string): unknown {
  if (Buffer.byteLength(text) > mostYamlBytes) {
    const json = jsonIn(text);
    if (json === null)
      throw unreadable(`YAML may have ${mostYamlBytes / 1024} KiB. A larger document must be JSON`, text);
    return json.value;
  }
  return composed(text, [...soundTokens(text)]);
}

/**
 * A value as YAML that `readYaml` accepts. A large one is written as JSON, which is YAML too: other YAML would block
 * the process when written or read.
 */
export function yamlOf(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  if (Buffer.byteLength(json) > mostYamlBytes) return json;
  const written = yaml().stringify(value);
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

/** The tokens of a text, checked against its limits while they are read. */
function* soundTokens(text: string): Generator<CST.Token> {
  const parser = new (yaml().Parser)();
  let documents = 0;
  const checked = function* (tokens: Iterable<CST.Token>): Generator<CST.Token> {
    for (const token of tokens) {
      if (token.type === 'error') throw unreadable(token.message, text, token.offset);
      if (token.type === 'directive') throw unreadable('a directive is not taken', text, token.offset);
      if (token.type === 'document') documents += 1;
      if (documents > 1) throw unreadable('it holds more than one document', text, parser.offset);
      yield token;
    }
  };
  for (const lexeme of new (yaml().Lexer)().lex(text)) {
    yield* checked(parser.next(lexeme));
    requireBounded(parser, text);
  }
  yield* checked(parser.end());
}

function requireBounded({ stack, offset }: Parser, text: string): void {
  if (stack.length > mostLevels) throw unreadable(`it is nested deeper than ${mostLevels} levels`, text, offset);
  const top = stack.at(-1);
  if (top?.type === 'alias') throw unreadable('an alias is not taken', text, offset);
  const isMapping = top?.type === 'block-map' || (top?.type === 'flow-collection' && top.start.source === '{');
  if (isMapping && top.items.length > mostEntries) {
    throw unreadable(`a mapping has more than ${mostEntries} entries`, text, offset);
  }
}

/** The value of a text's tokens. Throws InvalidRequest for the first error. */
function composed(text: string, tokens: readonly CST.Token[]): unknown {
  // By default, a composer compares each pair of keys, resolves lists to compare their entries, and collects every
  // error.
  const composer = new (yaml().Composer)({ uniqueKeys: false, resolveKnownTags: false, logLevel: 'error' });
  let first: InvalidRequest | undefined;
  const onError = (at: CST.Token | number | [number, number], _code: string, message: string, isWarning = false) => {
    if (isWarning) return;
    first ??= unreadable(message, text, typeof at === 'number' ? at : Array.isArray(at) ? at[0] : at.offset);
    throw first;
  };
  Object.assign(composer, { onError });
  try {
    const [document] = composer.compose(tokens, true, text.length);
    if (document === undefined) return null;
    yaml().visit(document, { Map: (_, map) => requireUniqueKeys(map, text) });
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // The composer catches exceptions inside a collection, and reports them as an error of the collection.
    throw first ?? error;
  }
}

function requireUniqueKeys({ items }: YAMLMap<unknown>, text: string): void {
  const keys = new Set<string>();
  for (const { key } of items) {
    if (!yaml().isScalar(key)) throw unreadable('a key must be a plain text', text);
    const name = String(key.value);
    if (keys.has(name)) throw unreadable(`a mapping has the key ${name} twice`, text, key.range?.[0]);
    keys.add(name);
  }
}

function unreadable(reason: string, text: string, offset?: number): InvalidRequest {
  const before = text.slice(0, offset).split('\n');
  const place = offset === undefined ? '' : ` at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  const words = reason.length > longestReason ? `${reason.slice(0, longestReason)} …` : reason;
  return new InvalidRequest([{ path: '', message: `The body cannot be read: ${words}${place}` }]);
}
