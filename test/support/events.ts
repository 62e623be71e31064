import { container } from '@sapphire/framework';
import { Events } from 'discord.js';
import { type GuildFacts, readGuildFacts } from '../../src/platforms/discord/guild-facts.js';
import { answers } from '../sandbox/kit/exchange-recorder.js';

/** As `eventually`: the limit ends a test that hangs. */
const withinMs = 180_000;
/** For changes without an event, such as a held answer. */
const longestRestMs = 250;

interface Emitter {
  once(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

function nextOf(emitter: Emitter, event: string): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      emitter.off(event, end);
      resolve();
    };
    const timer = setTimeout(end, longestRestMs);
    emitter.once(event, end);
  });
}

async function afterEach<T>(next: () => Promise<void>, look: () => T | Promise<T>, what: string) {
  const startedAt = performance.now();
  while (performance.now() - startedAt < withinMs) {
    // Asked for first: an event during the look counts.
    const event = next();
    const value = await look();
    if (value) return value as NonNullable<T>;
    await event;
  }
  throw new Error(`${what} did not come within ${withinMs} ms`);
}

/**
 * Waits until a stand-in shows something, and gives it. Looks after each answer to the service, so `look` reads nothing
 * but the stand-ins.
 */
export function onceShown<T>(look: () => T | Promise<T>, what = 'the expected state'): Promise<NonNullable<T>> {
  return afterEach(() => nextOf(answers, 'answer'), look, what);
}

/** Waits until the service's facts about a guild pass, and gives them. Looks after each event of the gateway. */
export function factsWhere(
  guildId: string,
  passes: (facts: GuildFacts) => boolean,
  what = 'the facts of the guild',
): Promise<GuildFacts> {
  const look = async () => {
    const facts = await readGuildFacts(guildId);
    return passes(facts) ? facts : null;
  };
  return afterEach(() => nextOf(container.client, Events.Raw), look, what);
}
