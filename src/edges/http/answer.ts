import type { Readable } from 'node:stream';
import { entityTagOf } from '../../lib/entity-tag.js';
import type { CodedFile } from './coded-file.js';

/** A route handler's result; `serveRoute` sends it over HTTP. */
export interface Answer {
  status: number;
  /**
   * A stream is sent as it is read, with its `type`. If it fails, the connection breaks, so that a partial body is not
   * taken as complete.
   */
  body?: unknown;
  /** `body`'s media type; default JSON. */
  type?: string;
  headers?: Readonly<Record<string, string>>;
  /** Replaces `body` and `type`: sent compressed, with its ETag, or as a 304. */
  file?: CodedFile;
  cookies?: readonly string[];
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
/** `location`: the created resource's path or address (RFC 9110 §15.3.2). */
export const created = (body: unknown, location: string): Answer => ({ status: 201, body, headers: { location } });
/** The work will be done later; `location`, if present, shows its progress. */
export const accepted = (body: unknown, location?: string): Answer => ({
  status: 202,
  body,
  ...(location !== undefined && { headers: { location } }),
});
export const noContent = (cookies: readonly string[] = []): Answer => ({ status: 204, cookies });

/** Adds the entity tag for the answer's document, for If-Match. */
export const withTag = (answer: Answer, document: { updatedAt: Date }): Answer => ({
  ...answer,
  headers: { ...answer.headers, ETag: entityTagOf(document) },
});

/** The caller already has this version (RFC 9110 §15.4.5). */
export const notModified: Answer = { status: 304 };

/** Redirects a browser to another page with GET, regardless of the request's method. */
export const seeOther = (location: string, cookies: readonly string[] = []): Answer => ({
  status: 303,
  headers: { location },
  cookies,
});

export const html = (body: string, status = 200): Answer => ({ status, body, type: 'text/html; charset=utf-8' });
export const text = (body: string | Buffer, type = 'text/plain; charset=utf-8'): Answer => ({
  status: 200,
  body,
  type,
});

/** Content that is the same for everyone. Callers may store it, and revalidate it each time. */
export const sameForAll = (file: CodedFile): Answer => ({
  status: 200,
  file,
});

/** A file download, sent as fast as it is read. */
export const download = (body: Readable, type: string, filename: string): Answer => ({
  status: 200,
  body,
  type,
  headers: { 'content-disposition': `attachment; filename="${filename}"` },
});
