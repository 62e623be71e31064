import { startSession } from '../../src/core/auth/session-service.js';
import { noteSecretsIn } from './log-canaries.js';
import { world } from './world.js';

/** One answer from the service. `body` is parsed where it is JSON, else text. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // Tests look into bodies with every shape, and fail where what they expect is not there.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

type Headers_ = Record<string, string>;

/** Calls the service's API over real HTTP. */
export interface Api {
  request(method: string, path: string, options?: { body?: unknown; headers?: Headers_ }): Promise<ApiAnswer>;
  get(path: string, headers?: Headers_): Promise<ApiAnswer>;
  post(path: string, body?: unknown, headers?: Headers_): Promise<ApiAnswer>;
  put(path: string, body?: unknown, headers?: Headers_): Promise<ApiAnswer>;
  patch(path: string, body?: unknown, headers?: Headers_): Promise<ApiAnswer>;
  delete(path: string, headers?: Headers_): Promise<ApiAnswer>;
}

/** A caller with a bot token, or without any credentials. */
export function api(token?: string): Api {
  return caller(token === undefined ? {} : { authorization: `Bot ${token}` });
}

/** Signs a person in through Discord's OAuth page and answers with their caller, which sends session cookie and Origin. */
export async function signIn(chatUserId: string): Promise<Api & { cookie: string }> {
  const { url, discord } = await world();
  const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
  const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
  const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
  const cookie = cookiesOf(ended)
    .split('; ')
    .filter((pair) => pair.includes('rolelink_session='))
    .join('; ');
  return { ...caller({ cookie, origin: url }), cookie };
}

/** A person with a session, made without the sign-in, since that is limited and calls Discord. */
export async function asPerson(person: { chatUserId: string; username: string }): Promise<Api> {
  const { chatUserId, username } = person;
  const id = await startSession({ chatUserId, username, avatarUrl: null, managedGuilds: [] });
  return caller({ cookie: `rolelink_session=${id}`, origin: (await world()).url });
}

/** The `Cookie` header that a browser would send after this answer. */
export function cookiesOf(answer: Response): string {
  const pairs = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ');
}

function caller(common: Headers_): Api {
  const request: Api['request'] = async (method, path, { body, headers = {} } = {}) => {
    const { url } = await world();
    const raw = typeof body === 'string' || body === undefined;
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...common, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    noteSecretsIn(text);
    const json = (answer.headers.get('content-type') ?? '').includes('json');
    return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text };
  };
  return {
    request,
    get: (path, headers) => request('GET', path, headers && { headers }),
    post: (path, body, headers) => request('POST', path, { body, ...(headers && { headers }) }),
    put: (path, body, headers) => request('PUT', path, { body, ...(headers && { headers }) }),
    patch: (path, body, headers) => request('PATCH', path, { body, ...(headers && { headers }) }),
    delete: (path, headers) => request('DELETE', path, headers && { headers }),
  };
}
