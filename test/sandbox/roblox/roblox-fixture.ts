import { SandboxFixture } from '../kit/sandbox-fixture.js';
import { type RobloxSandbox, type RobloxSandboxOptions, startRobloxSandbox } from './roblox-sandbox.js';

/** The sandbox's answer; `body` is parsed JSON where there was any, and otherwise the text. */
export interface Answer {
  status: number;
  headers: Headers;
  // The tests compare it deeply, or read it through `field`.
  body: unknown;
}

/** Roblox's sandbox for a suite, and ways to ask it. */
export class RobloxFixture extends SandboxFixture<RobloxSandbox> {
  constructor({ checked = true, ...options }: RobloxSandboxOptions & { checked?: boolean } = {}) {
    super(checked, (watch) => startRobloxSandbox({ ...watch, ...options }));
  }

  /** GET without following redirects. `path` begins with the host's base path, or is a whole URL. */
  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  /** GET on Open Cloud v2 with the API key; `path` follows `/cloud/v2`. */
  async cloud(path: string, headers: Record<string, string> = { 'x-api-key': this.sandbox.apiKey }): Promise<Answer> {
    return this.get(`/apis/cloud/v2${path}`, headers);
  }

  async postJson(path: string, body: unknown, more: Record<string, string> = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...more };
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(new URL(path, this.sandbox.url), { redirect: 'manual', ...init });
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const body: unknown = isJson ? await response.json() : await response.text();
    return { status: response.status, headers: response.headers, body };
  }
}

/** A field deep in a JSON value: `field(answer.body, 'data', 0, 'id')`. */
export function field(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** The same for a field that must be a list. */
export function list(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = field(value, ...path);
  if (!Array.isArray(found)) throw new Error(`There is no list at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}

/** The older hosts' and the gateway's error bodies. */
export function errorBody(code: number, message: string) {
  return { errors: [{ code, message }] };
}

let names = 0;

/** A Roblox username that no other test uses. */
export function newName(): string {
  names += 1;
  return `Player${names}`;
}
