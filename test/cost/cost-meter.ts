import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type mongo } from 'mongoose';
import { currentLogContext, type LogContext, withLogContext } from '../../src/lib/logger.js';
import { world } from '../support/world.js';

/** How often a flow's run asks the database, Discord and Roblox. */
export interface Cost {
  database: number;
  discord: number;
  roblox: number;
}

/** A cost with the commands and calls that it consists of, to be shown when it is not the expected one. */
export interface Measured {
  cost: Cost;
  details: string[];
}

/** The sandboxes record a call after they have answered it, and a press is answered before everything is over. */
const settledWithinMs = 200;

/** The log context for a test's own lookups next to the flow. */
const looking = 'req_looking';

/** A flow's work other than its requests and interactions. */
export interface Also {
  /** Commands that no request, interaction or job sends and that name any of these ids. */
  ids?: readonly string[];
  /** The jobs' commands with such an id. */
  jobs?: RegExp;
}

/** Reads something without counting it in the measured flow. */
export const beside = <T>(look: () => Promise<T>): Promise<T> => withLogContext({ requestId: looking }, look);

/**
 * Measures a flow. Commands count that a request or an interaction sends, and those that `also` names. The jobs that
 * run by the clock do not count, nor do wake-ups. Calls to the platforms count that are made until `flow` is over.
 */
export async function measure(flow: () => Promise<unknown>, also: Also = {}): Promise<Measured> {
  const { discord, roblox } = await world();
  const commands: string[] = [];
  const note = (event: mongo.CommandStartedEvent) => {
    const collection = String(event.command.collection ?? event.command[event.commandName]);
    if (isOfFlow(event, currentLogContext(), also)) {
      commands.push(`${event.commandName} ${collection}`);
    }
  };
  await delay(settledWithinMs);
  const client = mongoose.connection.getClient();
  const before = { discord: discord.requests.length, roblox: roblox.requests.length };
  client.on('commandStarted', note);
  try {
    await flow();
    await delay(settledWithinMs);
  } finally {
    client.off('commandStarted', note);
  }
  const calls = [...discord.requests.slice(before.discord), ...roblox.requests.slice(before.roblox)];
  return {
    cost: {
      database: commands.length,
      discord: discord.requests.length - before.discord,
      roblox: roblox.requests.length - before.roblox,
    },
    details: [...commands, ...calls.map(({ method, path }) => `${method} ${path}`)],
  };
}

/** Runs something in this process as a request would. */
export const asRequest = <T>(work: () => Promise<T>): Promise<T> => withLogContext({ requestId: 'req_cost' }, work);

function isOfFlow(event: mongo.CommandStartedEvent, context: LogContext, { ids = [], jobs }: Also): boolean {
  const { requestId, interactionId, jobId } = context;
  if (jobId !== undefined) return jobs?.test(jobId) ?? false;
  if (requestId !== undefined || interactionId !== undefined) return requestId !== looking;
  if (ids.length === 0) return false;
  const text = JSON.stringify(event.command);
  return ids.some((id) => text.includes(id));
}

/** The cost for each of `more` further pieces, beyond the first measure. */
export function marginal(few: Measured, many: Measured, more: number): Measured {
  const share = (part: keyof Cost): number => Math.round((many.cost[part] - few.cost[part]) / more);
  return {
    cost: { database: share('database'), discord: share('discord'), roblox: share('roblox') },
    details: many.details,
  };
}
