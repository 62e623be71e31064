import { Writable } from 'node:stream';
import type { Context, Next } from 'koa';
import { koaBody } from 'koa-body';
import { DiscordError } from './discord-error.js';

/** A message with files may have 25 MiB (Discord's documentation). */
const largestBody = 25 * 1024 * 1024;

/** What was uploaded, by the parsed file. */
const contents = new WeakMap<object, Buffer>();
const nameless = {};

const parse = koaBody({
  text: false,
  multipart: true,
  jsonLimit: largestBody,
  formLimit: largestBody,
  formidable: {
    maxFileSize: largestBody,
    fileWriteStreamHandler: (file: object = nameless) =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          contents.set(file, Buffer.concat([contents.get(file) ?? Buffer.of(), chunk]));
          done();
        },
      }),
  },
});

/** Parses JSON, forms, and the JSON in the `payload_json` part in multipart bodies. */
export async function readBody(ctx: Context, next: Next): Promise<void> {
  const isEmpty = !ctx.request.length && ctx.get('transfer-encoding') === '';
  try {
    if (!isEmpty) await parse(ctx, async () => {});
    if (ctx.is('multipart')) ctx.request.body = JSON.parse(payloadJson(ctx.request.body));
  } catch {
    throw new DiscordError('invalidJson');
  }
  await next();
}

/** The uploaded files' names, sizes and texts. */
export function readFiles(ctx: Context): { filename: string; size: number; text: string }[] {
  return Object.values(ctx.request.files ?? {})
    .flat()
    .map((file) => ({
      filename: file.originalFilename ?? 'unknown',
      size: file.size,
      text: contents.get(file)?.toString('utf8') ?? '',
    }));
}

function payloadJson(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null || !('payload_json' in fields)) return '{}';
  return String(fields.payload_json);
}
