import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { isKnownByCaller } from '../../lib/entity-tag.js';

/** Content sent unchanged to many callers: plain, and in each available coding. */
export interface CodedFile {
  type: string;
  etag: string;
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

/** A content's tag; it changes with any byte. */
export const tagOfContent = (content: Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** A text made by this process, in each coding, as small as possible without blocking the event loop. */
export function codedFile(text: string, type: string): CodedFile {
  const plain = Buffer.from(text);
  const br = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  return { type, etag: tagOfContent(plain), plain, br, gzip: gzipSync(plain) };
}

/** Sends a file in the best coding that the caller accepts, or a 304 without a body if they already have it. */
export function sendCoded(ctx: Context, file: CodedFile): void {
  // Answers under /api are never cached (API-25).
  if (!ctx.response.get('cache-control')) ctx.set('cache-control', 'no-cache');
  ctx.set('etag', file.etag);
  ctx.vary('accept-encoding');
  if (isKnownByCaller(ctx.get('if-none-match'), file.etag)) {
    ctx.body = null;
    ctx.status = 304;
    return;
  }
  ctx.status = 200;
  ctx.type = file.type;
  // In our order: browsers list gzip first, but accept both equally.
  const coding = (['br', 'gzip'] as const).find((name) => file[name] && ctx.acceptsEncodings(name) === name);
  if (coding !== undefined) ctx.set('content-encoding', coding);
  ctx.body = (coding && file[coding]) ?? file.plain;
}
