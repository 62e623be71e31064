import fc, { type Arbitrary } from 'fast-check';
import type { Operation } from '../edges/http/openapi-setup.js';
import { type Known, SchemaArbitraries, strangeTexts } from './schema-arbitrary.js';
import { type Spoiling, spoil, spoilings } from './spoil.js';

/** A request to an operation, without its caller. */
export interface Shot {
  path: string;
  headers: Record<string, string>;
  /** As JSON; undefined: none. */
  body?: string;
}

/** A request's parts as values, before they are written down. */
interface Parts {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  header: Record<string, unknown>;
  body?: unknown;
}

/** A request's target. */
interface Aim {
  path: string;
  operation: Operation;
  known: Known;
  example?: unknown;
}

type Schemas = ConstructorParameters<typeof SchemaArbitraries>[0];

/** Requests to an operation that its own schemas allow, and as many that they almost allow. */
export function shotsAt({ path, operation, known, example }: Aim, schemas: Schemas): Arbitrary<Shot> {
  const valid = validParts(operation, new SchemaArbitraries(schemas, known), example);
  const spoilt = fc.tuple(valid, spoilings).map(([parts, wrongs]) => spoilParts(parts, wrongs));
  return fc.oneof({ withCrossShrink: true }, valid, spoilt).map((parts) => written(path, parts));
}

type Parameter = Operation['parameters'][number];

/** Values that no schema describes fully, so that invented ones are always refused. */
const opaque = new Set(['cursor']);

function validParts(operation: Operation, arbitraries: SchemaArbitraries, example: unknown): Arbitrary<Parts> {
  const record = (fields: readonly Parameter[]) =>
    fc.record(Object.fromEntries(fields.map(({ name, schema }) => [name, arbitraries.of(schema, name)] as const)), {
      requiredKeys: fields.filter(({ required }) => required).map(({ name }) => name),
      noNullPrototype: true,
    });
  const fieldsIn = (place: string) => {
    const fields = operation.parameters.filter((parameter) => parameter.in === place);
    const told = fields.filter(({ name }) => !opaque.has(name));
    if (told.length === fields.length) return record(fields);
    return fc.oneof({ arbitrary: record(told), weight: 5 }, { arbitrary: record(fields), weight: 1 });
  };
  const body = operation.requestBody?.content['application/json']?.schema;
  return fc.record({
    path: fieldsIn('path'),
    query: fieldsIn('query'),
    header: fieldsIn('header'),
    ...(body !== undefined && {
      body: example === undefined ? arbitraries.of(body, '') : fc.oneof(arbitraries.of(body, ''), fc.constant(example)),
    }),
  });
}

/** Usually the body, and without one the address's parts. */
function spoilParts(parts: Parts, wrongs: readonly Spoiling[]): Parts {
  const [{ place } = { place: 0 }] = wrongs;
  if ('body' in parts && place % 8 !== 0) return Object.assign({}, parts, { body: spoil(parts.body, wrongs) });
  const names = Object.keys(parts.path);
  const name = names[place % (names.length + 1)];
  if (name === undefined) return Object.assign({}, parts, { query: asObject(spoil(parts.query, wrongs)) });
  const strange = strangeTexts[place % strangeTexts.length];
  return Object.assign({}, parts, { path: Object.assign({}, parts.path, { [name]: strange }) });
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : { surprise: value };

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)) ?? '';

/** encodeURIComponent throws for half a surrogate pair, which bytes cannot hold. */
const encoded = (value: unknown): string => encodeURIComponent(Buffer.from(asText(value)).toString());

/** Node refuses a head over 16 KiB itself (431). */
const longestQuery = 8_000;
const mostPairs = 100;

function written(template: string, { path, query, header, body }: Parts): Shot {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(path[name]).slice(0, 1_000) || '%20');
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.map((each) => `${encoded(name)}=${encoded(each)}`);
  });
  const headers = Object.entries(header)
    .map(([name, value]) => [name, asText(value).trim()] as const)
    // No client sends others.
    .filter(([, value]) => /^[\x20-\x7e]+$/.test(value));
  const text = JSON.stringify(body);
  const search = pairs.slice(0, mostPairs).join('&').slice(0, longestQuery);
  return {
    path: search === '' ? filled : `${filled}?${search.replace(/%[\dA-F]?$/, '')}`,
    headers: Object.fromEntries(headers),
    ...(text !== undefined && { body: text }),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A shot as a line for the shell. */
export function asCurl(method: string, url: string, { path, headers, body }: Shot): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const type = body === undefined ? [] : [`-H 'content-type: application/json'`, `--data-raw ${quoted(body)}`];
  return ['curl', '-X', method, quoted(url + path), ...named, ...type].join(' ');
}
