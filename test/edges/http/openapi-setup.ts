import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import type { Route } from '../../../src/edges/http/route.js';
import type { Answer } from './http-setup.js';

export type Json = Record<string, unknown>;

type Content = Record<string, { schema: Json; example?: unknown }>;

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Json[];
  parameters: { name: string; in: string; required: boolean; schema: Json; example?: unknown }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; headers?: Json; content?: Content }>;
}

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string };
  security: Json[];
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; securitySchemes: Json };
}

const run = promisify(execFile);
const printer = fileURLToPath(new URL('../../../src/edges/cli/print-openapi.js', import.meta.url));

/** The command line's output without any setting. */
export async function printOpenApi(): Promise<{ document: OpenApi; stderr: string }> {
  const { stdout, stderr } = await run(process.execPath, [printer], { env: {}, cwd: '/', maxBuffer: 2 ** 26 });
  return { document: JSON.parse(stdout), stderr };
}

/** Compiles a document's schemas strictly: a keyword that JSON Schema 2020-12 does not know is a mistake. */
export function compilerFor({ components }: OpenApi): (schema: Json) => ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
  addFormats.default(ajv);
  // Of OpenAPI, and says nothing that the schemas themselves don't.
  ajv.addKeyword('discriminator');
  const inOneSchema = (part: Json): Json =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/components/schemas/', '"components#/$defs/'));
  ajv.addSchema({ $id: 'components', $defs: inOneSchema(components.schemas) });
  // Most refusal schemas stand in many places.
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? ajv.compile(inOneSchema(schema));
    compiled.set(text, known);
    return known;
  };
}

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );

export const documentedName = (route: Route): string => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;

export function operationOf(document: OpenApi, route: Route): Operation {
  const found = operationsOf(document).find(({ name }) => name === documentedName(route));
  if (found === undefined) throw new Error(`${route.name} is not documented`);
  return found.operation;
}

/** Expects an answer as documented for its status: headers, media type and the whole body. */
export function expectDocumentedAnswer(
  { operationId, responses }: Operation,
  { status, headers, text, json }: Answer,
  compile: ReturnType<typeof compilerFor>,
): void {
  const response = responses[status];
  if (response === undefined) throw new Error(`${operationId} answers ${status}, which is not documented`);
  for (const name of Object.keys(response.headers ?? {})) expect(headers).to.have.property(name.toLowerCase());
  if (response.content === undefined) {
    expect(text).to.equal('');
    return;
  }
  const type = String(headers['content-type']);
  const [documented = '', { schema = {} } = {}] = Object.entries(response.content)[0] ?? [];
  expect(type.startsWith(documented), `${type} is not ${documented}`).to.equal(true);
  const validate = compile(schema);
  expect(validate(json ?? text), JSON.stringify(validate.errors)).to.equal(true);
}
