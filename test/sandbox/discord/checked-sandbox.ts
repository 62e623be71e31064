import { once } from 'node:events';
import { expect } from 'chai';
import { Client, type ClientEvents, type ClientOptions, DiscordAPIError, Events, GatewayIntentBits } from 'discord.js';
import { createContractChecker } from '../../contracts/contract-checker.js';
import type { Exchange } from '../kit/exchange.js';
import { type DiscordSandbox, type DiscordSandboxOptions, startDiscordSandbox } from './discord-sandbox.js';

/** Single commands can be read, edited and deleted on Discord, but the contracts leave that out. */
const uncontracted = /\/commands\/\d+$/;

/** A sandbox whose answers, and the sane requests to it, are held to Discord's contract. */
export interface CheckedSandbox {
  sandbox: DiscordSandbox;
  /** Logs a real discord.js client in; resolves when it is ready. */
  connect(options?: Partial<ClientOptions>): Promise<Client<true>>;
  /** Logs the bots out, stops the sandbox, and fails if anything broke the contract. */
  stop(): Promise<void>;
}

export async function startCheckedSandbox(options: DiscordSandboxOptions = {}): Promise<CheckedSandbox> {
  const answers = createContractChecker();
  const requests = createContractChecker();
  const observe = (exchange: Exchange) => {
    if (uncontracted.test(exchange.path)) return;
    answers?.observe(exchange);
    if (exchange.status !== 400) requests?.observe(exchange);
  };
  const sandbox = await startDiscordSandbox({ observe, ...options });
  const bots: Client[] = [];
  return {
    sandbox,
    async connect(clientOptions) {
      const bot = createBot(sandbox, clientOptions);
      bots.push(bot);
      const ready = once(bot, Events.ClientReady);
      await bot.login(sandbox.application.botToken);
      await ready;
      if (!bot.isReady()) throw new Error('The bot is not ready.');
      return bot;
    },
    async stop() {
      await Promise.all(bots.map((bot) => bot.destroy()));
      await sandbox.stop();
      expect(answers?.violations.filter((violation) => violation.includes(': answer '))).to.deep.equal([]);
      expect(requests?.violations).to.deep.equal([]);
    },
  };
}

export function createBot(sandbox: DiscordSandbox, options: Partial<ClientOptions> = {}): Client {
  return new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers],
    rest: { api: sandbox.apiUrl },
    ...options,
  });
}

/** The next event by this name that the client gets. */
export async function nextEvent<Name extends keyof ClientEvents>(
  client: Client,
  name: Name,
): Promise<ClientEvents[Name]> {
  return await new Promise((resolve) => client.once(name, (...values) => resolve(values)));
}

/** What Discord refused a call with; fails when it did not. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; code: number | string; raw: unknown }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscordAPIError)) throw new Error(`Not refused by Discord: ${error}`);
  return { status: error.status, code: error.code, raw: error.rawError };
}
