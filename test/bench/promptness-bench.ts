import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { loadConfig, useConfig } from '../../src/config/config.js';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { logger } from '../../src/lib/logger.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, percentile, table } from './figures.js';
import { askDearly, type Calm, type Measured, measureCalm, readAtLimit } from './promptness-load.js';
import { apiOf, buildJoiners, buildPromptGuild, type Platforms, type PromptnessShape } from './promptness-stage.js';
import { startMeasuredService } from './service-process.js';

/** The promises: role changes, commands, and p99 of `GET /api/auth/me`, in ms. */
const goals = { roleChange: 10_000, command: 3_000, me: 100 };
/** Fewer than the removal limit, which holds the 20th person in an hour for an admin (SYNC-11). */
const calmPeople = 17;

/**
 * `promptness [--scale 1] [--seconds 60] [--ratios]`: one server's role changes, commands and answers, while its viewer
 * token reads at its limit, 1,000 people join another, a third with 10,000 members is resynced, and a fourth's admin
 * asks for the dearest things. `scale` multiplies the people. With `--ratios` the bounds are a quiet run's a moment
 * before, so that they hold on a slow machine.
 */
export async function benchPromptness(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { scale: option, seconds: option, ratios: { type: 'boolean' } },
  });
  const scale = Number(values.scale ?? '1');
  const seconds = Number(values.seconds ?? '60');
  logger.level = 'silent';
  const of = (people: number) => Math.round(people * scale);
  const shape = { joiners: of(1_000), resynced: of(10_000), previewed: of(1_500), mappings: of(240) };
  const { quiet, loaded } = await measurePromptness(shape, seconds);
  const figures = values.ratios
    ? ratiosOf(quiet, loaded)
    : [...figuresOf('quiet', quiet), ...figuresOf('loaded', loaded)];
  process.stdout.write(`${table(figures)}\n`);
  return figures.every(passes);
}

function figuresOf(when: string, { roleChanges, commands, me }: Measured): Figure[] {
  const figure = (name: string, values: readonly number[], part: number, reference: number): Figure => ({
    ...{ name: `${when}: ${name} of ${values.length}`, measured: percentile(values, part), reference },
    ...{ atMost: 1, unit: 'ms' },
  });
  return [
    figure('role change, p50', roleChanges, 0.5, goals.roleChange),
    figure('role change, longest', roleChanges, 1, goals.roleChange),
    figure('/update, p50', commands, 0.5, goals.command),
    figure('/update, longest', commands, 1, goals.command),
    figure('GET me, p50', me, 0.5, goals.me),
    figure('GET me, p99', me, 0.99, goals.me),
  ];
}

/** A queue that others fill would make it hundreds of times. */
const mostTimes = 50;

function ratiosOf(quiet: Measured, loaded: Measured): Figure[] {
  const figure = (name: string, of: keyof Measured): Figure => ({
    ...{ name: `${name}, p50 of ${loaded[of].length}`, measured: percentile(loaded[of], 0.5) },
    ...{ reference: percentile(quiet[of], 0.5), atMost: mostTimes, unit: 'ms' },
  });
  return [figure('role change', 'roleChanges'), figure('/update', 'commands'), figure('GET me', 'me')];
}

async function measurePromptness(shape: PromptnessShape, seconds: number) {
  const engine = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([startDiscordSandbox(), startRobloxSandbox(), freePort()]);
  const mongodbUri = engine.uri.replace('/?', '/promptness?');
  const environment = environmentFor({ discord, roblox, port, dataDir, mongodbUri });
  const config = loadConfig(environment);
  useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
  await connectDatabase({ uri: mongodbUri, dataDir: '' });
  const platforms = { discord, roblox };
  const calmGuild = await buildPromptGuild('Calm', platforms, { people: calmPeople });
  const crowded = await buildPromptGuild('Crowded', platforms, { people: 0 });
  const large = await buildPromptGuild('Large', platforms, { people: shape.resynced });
  const dear = await buildPromptGuild('Dear', platforms, { people: shape.previewed, mappings: shape.mappings });
  const joiners = await buildJoiners(crowded, platforms, shape.joiners);
  const service = await startMeasuredService(environment);
  try {
    await withoutReconciliations(4);
    const api = {
      admin: await apiOf(service.url, calmGuild, 'admin'),
      viewer: await apiOf(service.url, calmGuild, 'viewer'),
    };
    const calm: Calm = { platforms, guild: calmGuild, ...api };
    await during(2, (signal) => measureCalm(calm, signal));
    const quiet = await during(seconds / 3, (signal) => measureCalm(calm, signal));
    for (const { gameUserId } of large.people) roblox.setRank(large.groupId, gameUserId, 100);
    for (const chatUserId of joiners) discord.join(crowded.guildId, chatUserId);
    const { status } = await (await apiOf(service.url, large, 'admin'))('POST', 'resync', {});
    if (status !== 202) throw new Error(`POST resync answered ${status}.`);
    const dearly = await apiOf(service.url, dear, 'admin');
    const [loaded] = await during(seconds, (signal) =>
      Promise.all([measureCalm(calm, signal), readAtLimit(calm, signal), askDearly(dear, dearly, signal)]),
    );
    return { quiet, loaded };
  } finally {
    await service.probe.kill();
    await Promise.all([stopped(platforms), mongoose.disconnect()]);
    await removeFolder(dataDir);
    await engine.close();
  }
}

const stopped = ({ discord, roblox }: Platforms) => Promise.all([discord.stop(), roblox.stop()]);

/** Waits for the guilds, without a first session's catch-up. */
async function withoutReconciliations(guilds: number): Promise<void> {
  while ((await GuildRecord.countDocuments({ present: true })) < guilds) await delay(100);
  await GuildRecord.updateMany({}, { $set: { caughtUpAt: new Date() }, $unset: { catchUpSince: 1, catchUpAt: 1 } });
}

async function during<T>(seconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), seconds * 1_000);
  return work(end.signal).finally(() => clearTimeout(timer));
}
