import { readFileSync } from 'node:fs';

/** A game script's request to `HttpService:RequestAsync`. */
interface GameRequest {
  Url: string;
  Method: string;
  Headers: Record<string, string>;
  Body?: string;
}

function toLua(value: unknown): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') {
    const bytes = [...Buffer.from(value)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
    return `"${bytes.join('')}"`;
  }
  if (Array.isArray(value)) return `{${value.map(toLua).join(',')}}`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value).map(([key, each]) => `[${toLua(key)}]=${toLua(each)}`)}}`;
}

/** Roblox's answer to a script. */
async function request({ Url, Method, Headers, Body }: GameRequest): Promise<object> {
  const answer = await fetch(Url, { method: Method, headers: Headers, ...(Body !== undefined && { body: Body }) });
  const headers = Object.fromEntries(answer.headers);
  return { StatusCode: answer.status, Success: answer.ok, Headers: headers, Body: await answer.text() };
}

// For roblox.lua: `decode` or `request`, and a file with JSON. Prints a Lua value, and nothing where Roblox would throw.
const [work, path = ''] = process.argv.slice(2);
const input: unknown = JSON.parse(readFileSync(path, 'utf8'));
const found = work === 'decode' ? input : await request(input as GameRequest).catch(() => undefined);
if (found !== undefined) process.stdout.write(toLua(found));
