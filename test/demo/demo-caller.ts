import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';

/** A caller to the service's API for one person. */
export interface DemoCaller {
  /** The parsed answer, or its text where it is not JSON; throws when it is no success. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** A refused call's problem document; throws when it succeeds. */
  refused(method: string, path: string, body?: unknown): Promise<{ status: number; code: string; detail: string }>;
}

/** Signs a person in as their browser would: by Discord's page, which the sandbox shows, and with the cookie from then on. */
export async function signIn(url: string, discord: DiscordSandbox, chatUserId: string): Promise<DemoCaller> {
  const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
  const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
  const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
  return callerOf(url, { cookie: cookiesOf(ended), origin: url });
}

/** The caller with these headers: a session's cookie, or a bot token. */
export function callerOf(url: string, identity: Record<string, string>): DemoCaller {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { ...identity, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = (answer.headers.get('content-type') ?? '').includes('json');
    return { answer, text, content: isJson ? JSON.parse(text) : text };
  };
  return {
    async call(method, path, body) {
      const { answer, text, content } = await send(method, path, body);
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      return content;
    },
    async refused(method, path, body) {
      const { answer, content } = await send(method, path, body);
      if (answer.ok) throw new Error(`${method} ${path} was not refused.`);
      return content;
    },
  };
}

function cookiesOf(answer: Response): string {
  const pairs = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ');
}
