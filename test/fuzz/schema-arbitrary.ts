import fc, { type Arbitrary } from 'fast-check';
import type { Json } from '../edges/http/openapi-setup.js';

/** Existing values, by their field's or parameter's name. */
export type Known = Readonly<Record<string, readonly string[]>>;

/** A JSON Schema as zod writes them. */
interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
}

/** Texts that have surprised a program before: in JavaScript, MongoDB, spreadsheets, HTML, Discord and Unicode. */
export const strangeTexts: readonly string[] = [
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '$ne', '$where', 'a.b', '.', '..', '*'],
  ...['=1+1', '@SUM(A1)', '-2+3', '"', "'", '\\', '%00', '%', '{{7*7}}', '{username}', '<b>&amp;', '@everyone'],
  ...['<@&1>', '`', '||a||', '🦊', 'ß'.repeat(3), 'İ', 'a\u0301', '\u202eabc', '\u200b', '\u0000', '\ud800', '\ufffd'],
  ...[' ', '\t', '\n', '1e3', '0x10', '-1', '1.5', '9'.repeat(19), '9'.repeat(20), '18446744073709551616'],
];

/** So deep a condition within a condition is built; deeper ones are left to `spoil`. */
const deepest = 3;
const mostItems = 4;
const longestText = 120;

/** Makes values that a schema in the OpenAPI document allows. */
export class SchemaArbitraries {
  readonly #schemas: Readonly<Record<string, Json>>;
  readonly #known: Known;

  constructor(schemas: Readonly<Record<string, Json>>, known: Known) {
    this.#schemas = schemas;
    this.#known = known;
  }

  /** Values for `schema`, which stands under `name`. */
  of(schema: Json, name: string): Arbitrary<unknown> {
    return this.#of(schema, name, 0);
  }

  #of(given: Schema, name: string, depth: number): Arbitrary<unknown> {
    const schema = this.#resolved(given);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives !== undefined) {
      const flat = alternatives.filter((each) => !JSON.stringify(this.#resolved(each)).includes('"$ref"'));
      const chosen = depth >= deepest && flat.length > 0 ? flat : alternatives;
      return fc.oneof(...chosen.map((each) => this.#of(each, name, depth + 1)));
    }
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => this.#typed({ ...schema, type }, name, depth)));
    }
    return this.#typed(schema, name, depth);
  }

  #typed(schema: Schema, name: string, depth: number): Arbitrary<unknown> {
    switch (schema.type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
      case 'number':
        return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true });
      case 'string':
        return this.#text(schema, name);
      case 'array':
        return this.#list(schema, name, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return fc.jsonValue();
    }
  }

  #list({ items = {}, minItems = 0, maxItems = mostItems }: Schema, name: string, depth: number): Arbitrary<unknown> {
    const maxLength = Math.min(maxItems, Math.max(minItems, mostItems));
    return fc.array(this.#of(items, name, depth), { minLength: minItems, maxLength });
  }

  #object({ properties = {}, required = [] }: Schema, depth: number): Arbitrary<unknown> {
    const fields = Object.entries(properties).map(([key, inner]) => [key, this.#of(inner, key, depth)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required, noNullPrototype: true });
  }

  /** Known values for the name come more often than invented ones, which are refused early. */
  #text(schema: Schema, name: string): Arbitrary<string> {
    const made = textsOf(schema);
    const known = this.#known[name] ?? [];
    if (known.length === 0) return made;
    return fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 7 }, { arbitrary: made, weight: 1 });
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const found = this.#schemas[schema.$ref.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`There is no schema ${schema.$ref}`);
    return found;
  }
}

function textsOf({ format, pattern, minLength = 0, maxLength = longestText }: Schema): Arbitrary<string> {
  if (format === 'date-time') {
    return fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }).map(isoText);
  }
  if (format === 'uri') return fc.webUrl();
  if (pattern !== undefined && !pattern.includes('\\p{')) return fc.stringMatching(new RegExp(pattern));
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  const length = { minLength, maxLength: Math.min(maxLength, Math.max(longestText, minLength)) };
  const some = strangeTexts.filter(fits);
  const any = fc.oneof(
    { withCrossShrink: true },
    fc.string({ ...length, unit: 'grapheme' }),
    fc.string({ ...length, unit: 'binary' }),
    fc.constantFrom(...(some.length > 0 ? some : ['x'.repeat(minLength)])),
  );
  const matches = new RegExp(pattern ?? '', 'u');
  return any.filter((text) => fits(text) && matches.test(text));
}

const isoText = (date: Date): string => date.toISOString();
