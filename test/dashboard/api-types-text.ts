import { z } from 'zod';

// The API's types for the dashboard and for integrators, made from the OpenAPI document in the shape that openapi-fetch
// reads. The generators that npm has don't run on TypeScript 7.

interface Schema {
  description?: string;
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}
type Content = Record<string, { schema: Schema }>;
interface Operation {
  summary?: string;
  parameters?: { in: string; name: string; required?: boolean; schema: Schema; description?: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const document = z.custom<Document>((value) => typeof value === 'object' && value !== null && 'paths' in value);

const head = `// Made by \`npm run generate\` of the service's OpenAPI document. test/dashboard/generated.test.ts compares.

type Answer<T> = { headers: Record<string, string>; content: T };
type Refused = Answer<{ 'application/problem+json': Schemas['Problem'] }>;
`;

/**
 * `src/client/api-types.ts`'s source: a path a line with its descriptions, webhook events too, the package's version,
 * and the paths whose POST takes a key, which the client has to know when it runs.
 */
export function apiTypesText(described: unknown, version: string): string {
  const parsed = document.parse(described);
  const operations = pathTypes(parsed).map(([path, methods]) => `  '${path}': { ${methods.join(' ')} };`);
  const events = Object.entries(parsed.webhooks).map(
    ([event, { post }]) => `  '${event}': ${typeOf(post?.requestBody?.content['application/json']?.schema ?? {})};`,
  );
  const types = `export interface Paths {\n${operations.join('\n')}\n}\n\nexport interface Events {\n${events.join('\n')}\n}\n`;
  const keyed = Object.entries(parsed.paths).flatMap(([path, { post }]) =>
    post?.parameters?.some(({ name }) => name === 'idempotency-key') ? [`  '${path}',\n`] : [],
  );
  const paths = `export const pathsWithKeys: ReadonlySet<string> = new Set([\n${keyed.join('')}]);\n`;
  const named = `export const clientVersion = '${version}';\n`;
  return `${head}\n${schemaTypes(parsed, types)}\n${types}\n${paths}\n${named}`;
}

const pathTypes = ({ paths }: Document): [path: string, methods: string[]][] =>
  Object.entries(paths).map(([path, methods]) => [
    path,
    Object.entries(methods).map(
      ([method, operation]) => `${told(operation.summary)}${method}: ${operationType(operation)};`,
    ),
  ]);

/** The schemas that a types text names, and those that they name. */
function schemaTypes({ components }: Document, text: string): string {
  const used = namesIn(text);
  for (const name of used) for (const inner of namesIn(typeOf(components.schemas[name] ?? {}))) used.add(inner);
  used.add('Problem');
  const known = Object.entries(components.schemas).filter(([name]) => used.has(name));
  return `export interface Schemas {\n${known.map(([name, schema]) => `  ${told(schema.description)}${name}: ${typeOf(schema)};`).join('\n')}\n}\n`;
}

const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/Schemas\['(\w+)'\]/g)].map(([, name = '']) => name));

function operationType({ parameters = [], requestBody, responses }: Operation): string {
  const given = ['path', 'query', 'header'].flatMap((place) => {
    const fields = parameters.filter((parameter) => parameter.in === place);
    if (fields.length === 0) return [];
    const optional = fields.every(({ required }) => required !== true);
    const each = fields.map(
      ({ name, required, schema, description = schema.description }) =>
        `${told(description)}${keyOf(name, required === true)}: ${typeOf(schema)}`,
    );
    return [`${place}${optional ? '?' : ''}: { ${each.join('; ')} }`];
  });
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([status, { content = {} }]) => `${status}: Answer<${contentType(content)}>`);
  const body = requestBody === undefined ? '' : ` requestBody: { content: ${contentType(requestBody.content)} };`;
  const taken = given.length === 0 ? 'object' : `{ ${given.join('; ')} }`;
  return `{ parameters: ${taken};${body} responses: { ${[...answers, 'default: Refused'].join('; ')} } }`;
}

/** JSON where there is a choice; an answer without a body is `never`. */
function contentType(content: Content): string {
  const [type, { schema } = {}] =
    Object.entries(content).find(([name]) => name === 'application/json') ?? Object.entries(content)[0] ?? [];
  return type === undefined || schema === undefined ? '{ never: never }' : `{ '${type}': ${typeOf(schema)} }`;
}

/** A description as the type's comment, in its line. */
const told = (description: string | undefined): string =>
  description === undefined ? '' : `/** ${description.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */ `;

const keyOf = (name: string, required: boolean): string =>
  `${/^\w+$/.test(name) ? name : `'${name}'`}${required ? '' : '?'}`;

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `Schemas['${schema.$ref.split('/').at(-1)}']`;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(typeOf).join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  return plainType(schema);
}

function plainType({ type, items, properties, required = [], additionalProperties }: Schema): string {
  if (type === 'array') return `(${typeOf(items ?? {})})[]`;
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, schema]) => `${told(schema.description)}${keyOf(name, required.includes(name))}: ${typeOf(schema)}`,
    );
    return `{ ${fields.join('; ')} }`;
  }
  if (type !== 'object') return 'unknown';
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value);
