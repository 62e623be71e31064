import { type REST, RESTEvents } from 'discord.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { ConfigError } from '../../lib/start-error.js';
import { secondMs } from '../../lib/time.js';
import { readOwnApplication } from './own-application.js';

/** Time for which Discord's answer about the token is reused, so that many refused calls cost one request. */
const answerHoldsMs = 10 * secondMs;

/** Whether Discord accepts DISCORD_TOKEN; `unknown` while it does not answer. */
export type TokenState = 'accepted' | 'refused' | 'unknown';

let state: TokenState = 'accepted';
let asked: { at: number; answer: Promise<TokenState> } | undefined;

export const tokenIsRefused = (): boolean => state === 'refused';

/** Checks DISCORD_TOKEN with Discord, using a separate client. Never throws. */
export function askAboutToken(): Promise<TokenState> {
  if (asked === undefined || clock.monotonicMs() - asked.at > answerHoldsMs) {
    asked = { at: clock.monotonicMs(), answer: ask() };
  }
  return asked.answer;
}

async function ask(): Promise<TokenState> {
  try {
    await readOwnApplication();
    state = 'accepted';
    logger.warn('Discord answered 401, but accepts DISCORD_TOKEN: continuing');
    return 'accepted';
  } catch (error) {
    if (error instanceof ConfigError) {
      state = 'refused';
      return 'refused';
    }
    // The next 401 repeats the check.
    asked = undefined;
    logger.warn({ err: error }, 'Discord answered 401, and DISCORD_TOKEN could not be checked');
    return 'unknown';
  }
}

/**
 * Keeps the bot token in discord.js's REST client (DISC-47): the client drops the token after one 401 and then makes no
 * call. After a 401, the token is checked with Discord; `onRefused` runs if it is refused.
 */
export function holdToken(client: REST, onRefused: () => void): void {
  const setToken = client.setToken.bind(client);
  const keepToken = (token: string | null): REST => (token === null ? client : setToken(token));
  Object.assign(client, { setToken: keepToken });
  client.on(RESTEvents.Response, ({ data }, { status }) => {
    if (status !== 401 || !data.auth) return;
    void askAboutToken().then((answer) => {
      if (answer === 'refused') onRefused();
    });
  });
}
