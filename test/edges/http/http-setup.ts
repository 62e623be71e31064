import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { type Dispatcher, Pool } from 'undici';
import { config } from '../../../src/config/config.js';
import { startSession } from '../../../src/core/auth/session-service.js';
import { createHttpApp } from '../../../src/edges/http/http-app.js';
import { createHttpServer, type ServerLimits } from '../../../src/edges/http/http-server.js';
import { type Problem, problemDocument } from '../../../src/edges/http/problem.js';
import type { RateLimits } from '../../../src/edges/http/rate-limits.js';
import type { Route } from '../../../src/edges/http/route.js';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Parsed where the answer is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

interface SentRequest {
  headers?: Record<string, string>;
  /** Sent as it is when it is a string or bytes, else as JSON; `content-type` is JSON unless `headers` names another. */
  body?: unknown;
}

/** The service's HTTP side once more, on its own port: it shares the database and has its own routes and limits. */
export interface HttpSide {
  url: string;
  send(method: string, path: string, sent?: SentRequest): Promise<Answer>;
  close(): Promise<void>;
}

/** Limits out of reach, so that a test can send however many requests. */
const unlimited: RateLimits = {
  consume: async (_principal, _name, note) => note({ limit: 1, remaining: 1, resetSeconds: 1 }),
  spend: async () => async () => undefined,
  guess: (_guesser, _note, work) => work(),
};

export const allRoutes = (): Route[] => container.stores.get('routes').inMountingOrder();

/** Options for a Route made in a test, which no file in the service holds. */
export const routeContext = (): Route.LoaderContext => ({
  name: 'test',
  root: '',
  path: '',
  store: container.stores.get('routes'),
});

export async function startHttp(
  options: { routes?: readonly Route[]; rateLimits?: RateLimits; limits?: Partial<ServerLimits> } = {},
): Promise<HttpSide> {
  const app = createHttpApp(options.routes ?? allRoutes(), options.rateLimits ?? unlimited);
  const server = createHttpServer(app, options.limits).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = new Pool(url);
  return {
    url,
    send: (method, path, sent) => send(pool, method, path, sent),
    async close() {
      await pool.close();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends the path as it is given, without the tidying that `fetch` does. */
async function send(pool: Pool, method: string, path: string, { headers, body }: SentRequest = {}): Promise<Answer> {
  const answer = await pool.request({
    path,
    method: method as Dispatcher.HttpMethod,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && {
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
  });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type'] ?? '').includes('json') && text !== '';
  return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** A person's session headers, as their browser sends them from our own pages. */
export async function sessionHeaders(chatUserId: string): Promise<Record<string, string>> {
  const profile = { chatUserId, username: 'person', avatarUrl: null, managedGuilds: [] };
  return { cookie: `rolelink_session=${await startSession(profile)}`, origin: config().publicUrl };
}

export const tokenHeaders = (token: string): Record<string, string> => ({ authorization: `Bot ${token}` });

/** Expects an API refusal: a problem document with this status and code. */
export function expectProblem(answer: Answer, status: number, code?: string): Problem {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers['content-type']).to.equal('application/problem+json; charset=utf-8');
  const problem = problemDocument.parse(answer.json);
  expect(problem.status).to.equal(status);
  expect(problem.requestId).to.equal(answer.headers['x-request-id']);
  expect(problem.type).to.match(new RegExp(`^https?://[^/]+/docs#refusal-${problem.code}$`));
  if (code !== undefined) expect(problem.code, problem.detail).to.equal(code);
  return problem;
}
