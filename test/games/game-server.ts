import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { removeFolder } from '../support/remove-folder.js';
import { plainLuaOf } from './plain-lua.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const modulePath = join(root, 'docs/games/rolelink.luau');
export const readModule = (): Promise<string> => readFile(modulePath, 'utf8');

/** A module's request to `HttpService:RequestAsync`, with the game's time in seconds. */
export interface GameRequest {
  at: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
  status: number | 'no answer';
  /** The answer's headers. */
  answered: Record<string, string>;
}

/** A request before its answer. */
export type MadeRequest = Omit<GameRequest, 'status' | 'answered'>;

/** Another answer than the service's; `no answer` is an error of RequestAsync. */
export type GameAnswer = { status: number; headers?: Record<string, string>; body?: unknown } | 'no answer';

export interface GameOptions {
  address: string;
  /** The experience's secrets by name. */
  secrets: Record<string, string>;
  /** Things that the scenario has done by `ask(name, value)`. */
  acts?: Record<string, (value: never) => unknown>;
  /** Answers a request instead of the service. */
  meddle?: (request: MadeRequest) => GameAnswer | undefined;
}

export interface PlayedGame {
  requests: GameRequest[];
  warnings: string[];
  /** The values that the scenario gave to `ask("tell", …)`, in order. */
  told: unknown[];
}

const message = z.tuple([z.string(), z.unknown()]);
const header = z.union([z.string(), z.strictObject({ secret: z.string(), prefix: z.string() })]);
const sent = z.strictObject({
  at: z.number(),
  request: z.strictObject({
    ...{ Url: z.string(), Method: z.string(), Body: z.string().optional() },
    Headers: z.record(z.string(), header),
  }),
});
const asked = z.strictObject({ what: z.string(), value: z.unknown() });

function toLua(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') {
    return `"${[...Buffer.from(value)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
  }
  if (Array.isArray(value)) return `{${value.map(toLua).join(',')}}`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value).map(([key, each]) => `[${toLua(key)}]=${toLua(each)}`)}}`;
}

/** Plays a scenario in Lua on a game's server, with the module of docs/games and real HTTP. Throws for an error in it. */
export async function playGame(scenario: string, options: GameOptions): Promise<PlayedGame> {
  const folder = await mkdtemp(join(tmpdir(), 'rolelink-game-'));
  const game = new Game(options);
  try {
    const [module, play] = [join(folder, 'rolelink.lua'), join(folder, 'scenario.lua')];
    await writeFile(module, plainLuaOf(await readModule()));
    await writeFile(play, scenario);
    const child = spawn('lua5.4', [join(root, 'test/games/game-server.lua'), module, play]);
    let complaint = '';
    child.stderr.on('data', (part: Buffer) => {
      complaint += part.toString();
    });
    for await (const line of createInterface({ input: child.stdout })) {
      child.stdin.write(`${toLua(await game.answerTo(line))}\n`);
    }
    if (!game.isDone) throw new Error(`The scenario did not end. ${complaint}`);
    if (game.errors.length > 0) throw new Error(game.errors.join('\n'));
    return { requests: game.requests, warnings: game.warnings, told: game.told };
  } finally {
    await removeFolder(folder);
  }
}

class Game {
  readonly requests: GameRequest[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  readonly told: unknown[] = [];
  isDone = false;
  readonly #options: GameOptions;

  constructor(options: GameOptions) {
    this.#options = options;
  }

  async answerTo(line: string): Promise<unknown> {
    const [what, value] = message.parse(JSON.parse(line));
    switch (what) {
      case 'request':
        return this.#request(value);
      case 'ask':
        return this.#act(value);
      case 'decode':
        return decoded(z.string().parse(value));
      case 'secret':
        return z.string().parse(value) in this.#options.secrets;
      case 'guid':
        return randomUUID();
      case 'subscribe':
        return (await this.#options.acts?.subscribe?.(value as never)) ?? true;
      case 'warn':
        return this.warnings.push(String(value));
      case 'error':
        return this.errors.push(String(value));
      default:
        this.isDone = z.strictObject({ at: z.number(), isDone: z.boolean() }).parse(value).isDone;
        return true;
    }
  }

  async #act(value: unknown): Promise<unknown> {
    const { what, value: given } = asked.parse(value);
    if (what === 'tell') return this.told.push(given);
    const act = this.#options.acts?.[what];
    if (act === undefined) throw new Error(`The scenario asks for an unknown ${what}.`);
    return act(given as never);
  }

  async #request(value: unknown): Promise<unknown> {
    const { at, request } = sent.parse(value);
    const headers: Record<string, string> = {};
    for (const [name, each] of Object.entries(request.Headers)) {
      headers[name] = typeof each === 'string' ? each : each.prefix + (this.#options.secrets[each.secret] ?? '');
    }
    const { Url, Method: method, Body } = request;
    const body: unknown = Body === undefined ? undefined : JSON.parse(Body);
    const made = { at, method, path: new URL(Url).pathname, headers, body };
    const answer =
      this.#options.meddle?.(made) ?? (await fetched(Url, { method, headers, ...(Body && { body: Body }) }));
    if (answer === 'no answer') {
      this.requests.push({ ...made, status: answer, answered: {} });
      return { problem: 'ConnectFail' };
    }
    this.requests.push({ ...made, status: answer.status, answered: answer.headers ?? {} });
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
    const { status } = answer;
    return { StatusCode: status, Success: status < 300, Headers: answer.headers ?? {}, Body: text };
  }
}

async function fetched(url: string, init: RequestInit): Promise<GameAnswer> {
  const answer = await fetch(url, init).catch(() => undefined);
  if (answer === undefined) return 'no answer';
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

function decoded(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'not JSON' };
  }
}
