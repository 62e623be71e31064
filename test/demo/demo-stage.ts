import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../src/config/config.js';
import type { TokenRanking } from '../../src/core/actors/token-ranking.js';
import { findPresentGuild } from '../../src/core/guilds/guild-service.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { startService } from '../../src/main.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { type StripeSandbox, startStripeSandbox } from '../sandbox/stripe/stripe-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { callerOf, type DemoCaller, signIn } from './demo-caller.js';
import { type DemoReceiver, startReceiver } from './demo-receiver.js';

/** The demo's stage: the real service, on the embedded database, between the sandboxes. */
export interface DemoStage {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  stripe: StripeSandbox;
  /** An integrator's program that can receive events. */
  receiver: DemoReceiver;
  /** The platform admin's chat user id. */
  platformAdminId: string;
  url: string;
  /** How long the service took from nothing to ready, in milliseconds. */
  readyAfterMs: number;
  /** Waits until the gateway has reported a guild to the service. */
  guildIsKnown(guildId: string): Promise<void>;
  /** A guild's bot token (`*`: for all), with the role owner. */
  mintToken(guildId: string): Promise<string>;
  /** A guild's bot token of the role ranker, as the command line makes it. */
  mintRanker(guildId: string, ranking: TokenRanking): Promise<string>;
  /** A guild's bot token of the role game. */
  mintGame(guildId: string): Promise<string>;
  platform: DemoCaller;
  signIn(chatUserId: string): Promise<DemoCaller>;
  stop(): Promise<void>;
}

/**
 * Starts the sandboxes on their usual ports, or on free ones where these are taken. `environment` is for a service
 * between them.
 */
export async function startSandboxes(logLevel: string) {
  const [port, discordPort] = [await freePort(3000), await freePort(3001)];
  const [robloxPort, stripePort] = [await freePort(3002), await freePort(3003)];
  const discord = await startDiscordSandbox({ port: discordPort });
  const roblox = await startRobloxSandbox({ port: robloxPort });
  const stripe = await startStripeSandbox({ port: stripePort });
  stripe.events.sendTo(`http://localhost:${port}/api/billing/webhook`);
  const platformAdminId = discord.addUser({ username: 'platform-admin' }).id;
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-demo-'));
  const environment = {
    ...sandboxEnvironment(discord, roblox, stripe),
    PORT: String(port),
    DATA_DIR: dataDir,
    DEFAULT_PLAN: 'free',
    PLATFORM_ADMINS: platformAdminId,
    WEBHOOK_DELIVERY: 'live',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? logLevel,
  };
  const stop = async () => {
    await Promise.all([discord.stop(), roblox.stop(), stripe.stop(), removeFolder(dataDir)]);
  };
  return { discord, roblox, stripe, platformAdminId, environment, url: `http://localhost:${port}`, stop };
}

export async function setStage(): Promise<DemoStage> {
  const sandboxes = await startSandboxes('silent');
  const { discord, roblox, stripe, platformAdminId, url } = sandboxes;
  const receiver = await startReceiver();
  const started = performance.now();
  const service = await startService(loadConfig(sandboxes.environment));
  await service.ready;
  const readyAfterMs = performance.now() - started;
  const mintToken = async (guildId: string) =>
    (await mintBotToken({ guildId, role: 'owner', name: 'demo', createdBy: 'demo' })).text;
  const mintRanker = async (guildId: string, ranking: TokenRanking) =>
    (await mintBotToken({ guildId, role: 'ranker', ranking, name: 'training', createdBy: 'demo' })).text;
  const mintGame = async (guildId: string) =>
    (await mintBotToken({ guildId, role: 'game', name: 'place', createdBy: 'demo' })).text;
  const platform = callerOf(url, { authorization: `Bot ${await mintToken('*')}` });
  return {
    discord,
    roblox,
    stripe,
    receiver,
    platformAdminId,
    url,
    readyAfterMs,
    guildIsKnown: (guildId) =>
      until(`guild ${guildId} is known`, async () => (await findPresentGuild(guildId)) !== null),
    mintToken,
    mintRanker,
    mintGame,
    platform,
    signIn: (chatUserId) => signIn(url, discord, chatUserId),
    async stop() {
      await service.stop();
      receiver.stop();
      await sandboxes.stop();
    },
  };
}

/** Long on a slow machine too. */
const longestMs = 30_000;

/** Waits until `holds` is true; throws, naming `what`, when it does not become so in time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + longestMs; Date.now() < end; await delay(20)) {
    if (await holds()) return;
  }
  throw new Error(`This did not come true: ${what}`);
}
