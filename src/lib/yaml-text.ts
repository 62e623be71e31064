import { Composer, type CST, isScalar, Lexer, Parser, stringify, visit, type YAMLMap } from 'yaml';
import { InvalidRequest } from './errors.js';

/** Largest text in YAML, in bytes. A text in JSON may be larger: its parser doesn't hold up the process. */
const mostYamlBytes = 64 * 1024;
/** Deepest nesting of lists and mappings. A configuration has about twelve levels. */
const mostLevels = 32;
/** Most entries of one mapping, with the lines between them. */
const mostEntries = 250;
/** Longest part of the parser's own words that is repeated: they quote the text. */
const longestReason = 200;

/** Whether a text is too large to be read: more than 64 KiB, and not JSON. */
export const isOverYamlLimit = (text: string): boolean =>
  Buffer.byteLength(text) > mostYamlBytes && jsonIn(text) === null;

/**
 * What a text in YAML says; JSON is YAML too. The time that it takes grows with the length of the text and with nothing
 * else: it stops at the first error, and refuses aliases, tags of other types, deep nesting and very many keys. Throws
 * InvalidRequest.
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
 * A value as YAML that `readYaml` takes. A large one is written as JSON, which is YAML too: to write and to read it as
 * anything else would hold up the process.
 */
export function yamlOf(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  if (Buffer.byteLength(json) > mostYamlBytes) return json;
  const yaml = stringify(value);
  return Buffer.byteLength(yaml) > mostYamlBytes ? json : yaml;
}

/** Null for a text that is no object in JSON. */
function jsonIn(text: string): { value: unknown } | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** The parsed parts of a text, which is held to its bounds while it is read. */
function* soundTokens(text: string): Generator<CST.Token> {
  const parser = new Parser();
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
  for (const lexeme of new Lexer().lex(text)) {
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

/** The value of a text's parts. Throws InvalidRequest for the first error. */
function composed(text: string, tokens: readonly CST.Token[]): unknown {
  // By itself a composer looks at each pair of keys, resolves lists whose entries it compares, and collects every error.
  const composer = new Composer({ uniqueKeys: false, resolveKnownTags: false, logLevel: 'error' });
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
    visit(document, { Map: (_, map) => requireUniqueKeys(map, text) });
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    // The composer catches what is thrown inside a collection, and calls it an error of the collection.
    throw first ?? error;
  }
}

function requireUniqueKeys({ items }: YAMLMap<unknown>, text: string): void {
  const keys = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) throw unreadable('a key must be a plain text', text);
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
