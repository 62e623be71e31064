import type { oas31 } from 'zod-openapi';
import { type Markup, markup } from '../../../lib/html.js';

type Schema = oas31.SchemaObject | oas31.ReferenceObject;

/** A schema as a readable type: one field per line, followed by its limits and meaning; named schemas are links. */
export function describeSchema(schema: Schema, depth = 0): Markup {
  if (isReference(schema)) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  const { anyOf, oneOf = anyOf, allOf, type } = schema;
  if ('const' in schema) return markup`${literal(schema.const)}`;
  if (schema.enum !== undefined) return markup`${schema.enum.map(literal).join(' | ')}`;
  if (oneOf !== undefined) return joined(oneOf, ' | ', depth);
  if (allOf !== undefined) return joined(allOf, ' & ', depth);
  if (Array.isArray(type)) {
    return joined(
      type.map((each) => Object.assign({}, schema, { type: each })),
      ' | ',
      depth,
    );
  }
  return describePlain(schema, depth);
}

/** A schema's properties in addition to its type: limits, format and meaning. */
export function notesOf(schema: Schema): string {
  if (isReference(schema)) return '';
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format, description } = schema;
  const notes = [
    description?.replace(/\.$/, ''),
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    format,
    format === undefined && pattern !== undefined ? `like ${pattern}` : undefined,
    'default' in schema ? `default ${literal(schema.default)}` : undefined,
  ];
  return notes.filter((note) => note !== undefined).join('; ');
}

const isReference = (schema: Schema): schema is oas31.ReferenceObject => '$ref' in schema;
const literal = (value: unknown): string => JSON.stringify(value);

function range(from: number | undefined, to: number | undefined, of: string): string | undefined {
  const least = from === 0 || from === Number.MIN_SAFE_INTEGER ? undefined : from;
  if (least === undefined) return to === undefined ? undefined : `at most ${to}${of}`;
  return to === undefined ? `at least ${least}${of}` : `${least} to ${to}${of}`;
}

function joined(schemas: readonly Schema[], by: string, depth: number): Markup {
  return markup`${schemas.map((each, index) => markup`${index > 0 && by}${describeSchema(each, depth)}`)}`;
}

function describePlain(schema: oas31.SchemaObject, depth: number): Markup {
  const { type, items = {}, properties, additionalProperties } = schema;
  if (type === 'array') {
    const isSimple = isReference(items) || (items.enum ?? items.oneOf ?? items.anyOf ?? items.allOf) === undefined;
    const inner = describeSchema(items, depth);
    return isSimple ? markup`${inner}[]` : markup`(${inner})[]`;
  }
  if (properties !== undefined && Object.keys(properties).length > 0) return describeFields(schema, depth);
  if (type !== 'object') return markup`${type ?? 'anything'}`;
  if (typeof additionalProperties !== 'object') return markup`{}`;
  return markup`{ [name]: ${describeSchema(additionalProperties, depth)} }`;
}

function describeFields({ properties = {}, required = [] }: oas31.SchemaObject, depth: number): Markup {
  const indent = '  '.repeat(depth + 1);
  const fields = Object.entries(properties).map(([name, schema]) => {
    const notes = notesOf(schema);
    const note = notes !== '' && markup`  <span class="note">// ${notes}</span>`;
    return markup`${indent}${name}${required.includes(name) ? '' : '?'}: ${describeSchema(schema, depth + 1)}${note}\n`;
  });
  return markup`{\n${fields}${'  '.repeat(depth)}}`;
}
