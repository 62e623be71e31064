import type { Bearer } from './oauth-desk.js';

/** The accepted callers: the bot, a person's OAuth token, either, or any caller with the token in the path. */
export type Credential = 'bot' | 'bearer' | 'bot or bearer' | 'none';

/** One call to an endpoint, already authenticated and counted. */
export interface Call {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON or form; from a multipart body the `payload_json` part. */
  readonly body: unknown;
  /** Uploaded files' names, sizes and texts. */
  readonly files: readonly { readonly filename: string; readonly size: number; readonly text: string }[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The decoded audit-log reason. */
  readonly reason: string | null;
  /** Whose OAuth token it is, when it came with one. */
  readonly bearer: Bearer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

/** One endpoint: `METHOD /path` below the API's base, who may call it, and what it does. */
export interface Endpoint {
  readonly endpoint: string;
  readonly credential: Credential;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

/** A path parameter that the route has by its definition. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`The route has no parameter ${name}.`);
  return value;
}
