import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import { secondMs } from '../../lib/time.js';

// Other bots that know members' Roblox accounts. Their answer formats come from public clients and were not tested, so
// parsing is lenient. An unknown answer ends the import with a message.

export const linkSource = z.enum(['bloxlink', 'rover', 'rowifi']);
export type LinkSource = z.output<typeof linkSource>;
export const linkSourceNames: Readonly<Record<LinkSource, string>> = {
  bloxlink: 'Bloxlink',
  rover: 'RoVer',
  rowifi: 'RoWifi',
};

export type LinkAnswer =
  | { kind: 'account'; gameUserId: string }
  /** The bot knows no account, or the person did not agree to share it. */
  | { kind: 'none' }
  /** The bot asks for a pause or fails: retry after this many milliseconds. */
  | { kind: 'later'; waitMs: number }
  | { kind: 'key_refused' }
  | { kind: 'not_understood'; status: number };

interface Source {
  /** Minimum time between two requests, in milliseconds. */
  everyMs: number;
  path(guildId: string, chatUserId: string): string;
  authorization(key: string): string;
  account: z.ZodType<string>;
}

const anyId = z.union([z.string().regex(/^[1-9]\d{0,18}$/), z.int().positive()]).transform(String);

const sources: Readonly<Record<LinkSource, Source>> = {
  bloxlink: {
    everyMs: secondMs,
    path: (guildId, chatUserId) => `/v4/public/guilds/${guildId}/discord-to-roblox/${chatUserId}`,
    authorization: (key) => key,
    account: z.looseObject({ robloxID: anyId }).transform(({ robloxID }) => robloxID),
  },
  rover: {
    everyMs: secondMs / 2,
    path: (guildId, chatUserId) => `/api/guilds/${guildId}/discord-to-roblox/${chatUserId}`,
    authorization: (key) => `Bearer ${key}`,
    account: z.looseObject({ robloxId: anyId }).transform(({ robloxId }) => robloxId),
  },
  rowifi: {
    everyMs: secondMs / 5,
    path: (guildId, chatUserId) => `/v3/guilds/${guildId}/members/${chatUserId}`,
    authorization: (key) => `Bot ${key}`,
    account: z.looseObject({ roblox_id: anyId }).transform(({ roblox_id }) => roblox_id),
  },
};

/**
 * `share`: the kept part of the time between two requests; `pauseMs`: the pause after an answer without a time. Tests
 * shorten both.
 */
export const pacing = { share: 1, pauseMs: 5 * secondMs };

/** The time between two requests, in milliseconds. */
export const paceOf = (source: LinkSource): number => sources[source].everyMs * pacing.share;

const timeoutMs = 10 * secondMs;
/** Maximum pause accepted from an answer, in milliseconds. */
export const longestWaitMs = 15 * 60 * secondMs;
/** Answers are small, since each request is about one person. */
const agent = new Agent({ maxResponseSize: 64 * 1024 });

/**
 * Reads a member's Roblox account from a bot, with the server's own key. Never throws: a cut connection and a time-out
 * are `later`.
 */
export async function askSource(
  source: LinkSource,
  key: string,
  { guildId, chatUserId }: { guildId: string; chatUserId: string },
): Promise<LinkAnswer> {
  const { path, authorization, account } = sources[source];
  try {
    const answer = await fetch(`${config().peopleImport.urls[source]}${path(guildId, chatUserId)}`, {
      headers: { authorization: authorization(key), accept: 'application/json' },
      redirect: 'error',
      dispatcher: agent,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.text();
    if (answer.status === 404) return { kind: 'none' };
    if (answer.status === 401 || answer.status === 403) return { kind: 'key_refused' };
    if (answer.status === 429 || answer.status >= 500) {
      const asked = retryAfterMs(answer.headers.get('retry-after')) ?? pacing.pauseMs;
      return { kind: 'later', waitMs: Math.min(asked, longestWaitMs) };
    }
    const parsed = account.safeParse(jsonOrUndefined(text));
    if (answer.status !== 200 || !parsed.success) return { kind: 'not_understood', status: answer.status };
    return { kind: 'account', gameUserId: parsed.data };
  } catch {
    return { kind: 'later', waitMs: pacing.pauseMs };
  }
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
