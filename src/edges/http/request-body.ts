import type { Context } from 'koa';
import type { HttpMethodEnum } from 'koa-body';
import { AppError, InvalidRequest } from '../../lib/errors.js';
import { onFirstUse } from '../../lib/on-first-use.js';
import { isOverYamlLimit, readYaml } from '../../lib/yaml-text.js';

const limit = '64kb';
const documentLimit = '1mb';
/** DELETE may carry a body too; it is then refused like any other unknown input. */
const parsedMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as HttpMethodEnum[];
const jsonTypes = ['json', '+json'];
const common = {
  jsonLimit: limit,
  jsonTypes,
  formLimit: limit,
  text: false,
  parsedMethods,
  onError: refuseAt('64 KiB'),
};
const ofDocuments = { ...common, jsonLimit: documentLimit, urlencoded: false, onError: refuseAt('1 MiB') };
const readers = onFirstUse(async () => {
  const { koaBody } = await import('koa-body');
  return {
    json: koaBody({ ...common, urlencoded: false }),
    form: koaBody({ ...common, json: false }),
    document: koaBody(ofDocuments),
  };
});

/**
 * Reads a request's body: JSON for the API, a form for pages, or a document; undefined if there is none. Refuses a body
 * over 64 KiB, or over 1 MiB for a JSON document (413), another media type (415) and unreadable content (400).
 */
export async function readBody(ctx: Context, kind: 'json' | 'form' | 'document'): Promise<unknown> {
  if (kind === 'document') return readDocument(ctx);
  const expected = kind === 'json' ? jsonTypes : ['urlencoded'];
  if (ctx.get('content-length') === '0' || ctx.request.is(expected) === null) return undefined;
  if (ctx.request.is(expected) === false) {
    const wanted = kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
    ctx.throw(415, `The body must be ${wanted}.`);
  }
  await (await readers())[kind](ctx, async () => undefined);
  return ctx.request.body;
}

/** A document is JSON up to 1 MiB, or YAML (RFC 9512) up to 64 KiB. JSON is YAML too. */
async function readDocument(ctx: Context): Promise<unknown> {
  if (ctx.get('content-length') === '0' || ctx.request.is(yamlTypes) === null) return undefined;
  if (ctx.request.is(jsonTypes)) {
    await (await readers()).document(ctx, async () => undefined);
    return ctx.request.body;
  }
  if (ctx.request.is(yamlTypes) === false) ctx.throw(415, 'The body must be application/json or application/yaml.');
  if (ctx.get('content-encoding') !== '') ctx.throw(415, 'This content encoding is not supported.');
  const text = (await readRawBody(ctx)).toString('utf8');
  if (isOverYamlLimit(text)) ctx.throw(413, 'YAML must not be larger than 64 KiB. JSON may have 1 MiB.');
  return readYaml(text);
}

const yamlTypes = ['application/yaml', 'text/yaml', 'application/x-yaml'];

const rawLimit = 1024 * 1024;

/**
 * Reads the raw body, for checking a signature over its bytes. Refuses one over 1 MiB (413), before reading if the
 * Content-Length says so.
 */
export async function readRawBody(ctx: Context): Promise<Buffer> {
  if (Number(ctx.get('content-length')) > rawLimit) tooLarge(ctx);
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection must stay open, so that a too large body's refusal arrives.
  for await (const chunk of ctx.req.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > rawLimit) tooLarge(ctx);
  }
  return Buffer.concat(chunks);
}

function tooLarge(ctx: Context): never {
  ctx.throw(413, 'The body must not be larger than 1 MiB.');
}

function refuseAt(most: string) {
  return (error: Error, ctx: Context): never => {
    if (error instanceof AppError) throw error;
    if ('status' in error && error.status === 413) ctx.throw(413, `The body must not be larger than ${most}.`);
    if ('status' in error && error.status === 415) ctx.throw(415, 'This content encoding is not supported.');
    throw new InvalidRequest([{ path: '', message: `The body cannot be read: ${error.message}` }]);
  };
}
