import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addKeyIntrospection } from './key-introspection.js';
import { addSetupReads } from './stripe-setup-reads.js';

/** The parts in an OpenAPI schema object that the checks read; ajv reads the whole. */
export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
}

export interface Response {
  $ref?: string;
  headers?: Record<string, { $ref?: string }>;
  content?: Record<string, { schema?: Schema }>;
}

interface Servers {
  servers?: { url: string }[];
}

export interface OperationObject extends Servers {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}

type PathItem = { parameters?: Parameter[] } & Partial<Record<string, OperationObject>>;

export interface OpenApiDocument extends Servers {
  openapi: string;
  paths: Record<string, PathItem>;
  /** The platform's webhooks to us, by name. */
  webhooks?: Record<string, PathItem>;
}

/** One published contract with its corrections. */
export interface Contract {
  name: 'discord' | 'roblox' | 'oauth' | 'stripe';
  document: OpenApiDocument;
}

interface Correction {
  op: 'add' | 'replace';
  path: string;
  value: unknown;
}

const files: Record<Contract['name'], string> = {
  discord: 'discord-openapi.json',
  roblox: 'roblox-openapi.json',
  oauth: 'oauth-handwritten.json',
  stripe: 'stripe-derived-openapi.json',
};

/** The platforms' contracts folder: CONTRACTS_DIR, or next to the repository; undefined if it does not exist. */
export function findContractsFolder(): string | undefined {
  const folder = process.env.CONTRACTS_DIR ?? join(repositoryRoot(), '../shared/contracts');
  return existsSync(join(folder, files.discord)) ? resolve(folder) : undefined;
}

/**
 * Reads the contracts for Discord, Roblox, both OAuth servers and Stripe, and applies the overlay file's corrections.
 */
export function loadContracts(folder: string): Contract[] {
  const overlays: Record<string, Correction[]> = readJson(join(folder, 'overlays.json'));
  return (['discord', 'roblox', 'oauth', 'stripe'] as const).map((name) => {
    const document: OpenApiDocument = readJson(join(folder, files[name]));
    for (const correction of overlays[files[name]] ?? []) applyCorrection(document, correction);
    if (name === 'roblox') addKeyIntrospection(document);
    if (name === 'stripe') addSetupReads(document);
    return { name, document: withWebhooksAsPaths(document) };
  });
}

/** A webhook's name becomes a path on the host `webhooks`, where the sandbox publishes its webhooks. */
function withWebhooksAsPaths(document: OpenApiDocument): OpenApiDocument {
  for (const [name, item] of Object.entries(document.webhooks ?? {})) {
    if (item.post) item.post.servers = [{ url: 'https://webhooks' }];
    document.paths[`/${name}`] = item;
  }
  return document;
}

/** Follows a local JSON pointer (`#/components/…`), or returns the thing itself when it is no reference. */
export function dereference<T extends { $ref?: string }>(document: OpenApiDocument, thing: T): T {
  if (thing.$ref === undefined) return thing;
  const target = thing.$ref.slice(2).split('/').map(unescapeToken).reduce(child, document);
  return dereference(document, target as T); // a reference stands for a thing in its own kind
}

/** RFC 6902 `add` and `replace` for an object member or array element; nothing else occurs in the overlays. */
function applyCorrection(document: OpenApiDocument, { path, value }: Correction): void {
  const tokens = path.slice(1).split('/').map(unescapeToken);
  const last = tokens.pop() ?? '';
  const parent = tokens.reduce(child, document);
  if (typeof parent !== 'object' || parent === null) throw new Error(`The overlay names ${path}, which is not there.`);
  Object.assign(parent, { [last]: value });
}

function child(parent: unknown, token: string): unknown {
  return typeof parent === 'object' && parent !== null ? Reflect.get(parent, token) : undefined;
}

/** RFC 6901 §4. */
function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
