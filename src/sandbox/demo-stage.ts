import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mintBotToken } from '../auth/bot-tokens.js';
import { loadConfig } from '../config.js';
import { findPresentGuild } from '../guilds/guild-service.js';
import { startService } from '../main.js';
import { type DiscordSandbox, startDiscordSandbox } from './discord/discord-sandbox.js';
import { freePort } from './free-port.js';
import { type RobloxSandbox, startRobloxSandbox } from './roblox/roblox-sandbox.js';
import { sandboxEnvironment } from './sandbox-environment.js';

/** What the demo plays on: the real service, on the embedded database, between two sandboxes. */
export interface DemoStage {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  /** PUBLIC_URL of the service. */
  url: string;
  /** How long the service took from nothing to ready, in milliseconds. */
  readyAfterMs: number;
  /** Waits until the gateway has told the service of a guild. */
  guildIsKnown(guildId: string): Promise<void>;
  /** A bot token of a guild (`*`: of all), with the role owner. */
  mintToken(guildId: string): Promise<string>;
  /** Calls the service's API with a platform token; throws unless the answer is a success. */
  post(path: string, body: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts everything on its usual ports, or on free ones where they are taken. */
export async function setStage(): Promise<DemoStage> {
  const [port, discordPort, robloxPort] = [await freePort(3000), await freePort(3001), await freePort(3002)];
  const discord = await startDiscordSandbox({ port: discordPort });
  const roblox = await startRobloxSandbox({ port: robloxPort });
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-demo-'));
  const started = performance.now();
  const service = await startService(
    loadConfig({
      ...sandboxEnvironment(discord, roblox),
      PORT: String(port),
      DATA_DIR: dataDir,
      DEFAULT_PLAN: 'enterprise',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    }),
  );
  await service.ready;
  const readyAfterMs = performance.now() - started;
  const url = `http://localhost:${port}`;
  const mintToken = (guildId: string) => mintBotToken({ guildId, role: 'owner', name: 'demo', createdBy: 'demo' });
  const platformToken = await mintToken('*');
  return {
    discord,
    roblox,
    url,
    readyAfterMs,
    guildIsKnown: (guildId) =>
      until(`guild ${guildId} is known`, async () => (await findPresentGuild(guildId)) !== null),
    mintToken,
    post: (path, body) => post(`${url}${path}`, platformToken, body),
    async stop() {
      await service.stop();
      await Promise.all([discord.stop(), roblox.stop(), rm(dataDir, { recursive: true, force: true })]);
    },
  };
}

async function post(url: string, token: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bot ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

/** Waits until `holds` is true; throws, naming `what`, when it does not become so within five seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 5_000; Date.now() < end; await delay(20)) {
    if (await holds()) return;
  }
  throw new Error(`This did not come true: ${what}`);
}
