import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { z } from 'zod';
import { loadConfig, useConfig } from '../../src/config/config.js';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { logger } from '../../src/lib/logger.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { linkedMember } from '../features/sync/resync-setup.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';
import { benchMapping } from './reads-guild.js';
import { startMeasuredService } from './service-process.js';

const pollMs = 200;
/** The longest time for which the thread may be held, but for one of 100 looks. */
const longestMs = 30;
const manyMappings = 1_000;

const shownPart = z.object({ summary: z.object({ checked: z.int() }), nextCursor: z.string().nullable() });

/**
 * `preview [--members 10000] [--rounds 5]`: previews of a whole guild, part by part, after one that warms up; then as many
 * with 1,000 mappings. Gives whether 99 of 100 looks found the event loop at most 30 ms late.
 */
export async function benchPreview(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { members: option, rounds: option } });
  const [members, rounds] = [Number(values.members ?? '10000'), Number(values.rounds ?? '5')];
  logger.level = 'silent';
  const engine = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  const { id: createdBy } = discord.addUser({ username: 'owner' });
  const { id: guildId } = discord.addGuild({ name: 'Large', ownerId: createdBy });
  const role = discord.addRole(guildId, { name: 'Member' });
  const { id: groupId } = roblox.addGroup({ name: 'Group' });
  // Before the service listens, so that no join is synced. One of a hundred is out of step.
  const people = Array.from({ length: members }, (_, n) => {
    const username = `member${n}`;
    const { id: chatUserId } = discord.addUser({ username });
    const { id: gameUserId } = roblox.addUser({ username });
    roblox.setRank(groupId, gameUserId, n % 2 === 0 ? 1 : 100);
    discord.join(guildId, chatUserId, { roleIds: n % 100 === 0 ? [] : [role.id], nickname: username });
    return { chatUserId, username, gameUserId, gameUsername: username };
  });
  const mongodbUri = engine.uri.replace('/?', '/preview?');
  const environment = environmentFor({ discord, roblox, port, dataDir, mongodbUri });
  const service = await startMeasuredService(environment);
  try {
    const config = loadConfig(environment);
    useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
    await connectDatabase({ uri: mongodbUri, dataDir: '' });
    while ((await GuildRecord.countDocuments({ present: true })) === 0) await delay(pollMs);
    await GuildRecord.updateMany({}, { $set: { caughtUpAt: new Date() }, $unset: { catchUpSince: 1, catchUpAt: 1 } });
    await Members.acrossGuilds.collection.insertMany(people.map((person) => linkedMember(guildId, person)) as never[]);
    const { text } = await mintBotToken({ guildId, role: 'admin', name: 'preview', createdBy });
    const headers = { authorization: `Bot ${text}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const url = `${service.url}/api/guilds/${guildId}/${path}`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
      return answer.json();
    };
    await post('groups', { groupId });
    await post('mappings', { condition: { type: 'group_rank', groupId, min: 1, max: 255 }, roleIds: [role.id] });
    const whole = async () => {
      const startedAt = performance.now();
      let checked = 0;
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const part = shownPart.parse(await post('sync/preview', cursor === undefined ? {} : { cursor }));
        checked = part.summary.checked;
        cursor = part.nextCursor;
      }
      return { checked, ms: performance.now() - startedAt };
    };
    const measured = async (name: string): Promise<Figure[]> => {
      await whole();
      await service.probe.ask('begin', null);
      const taken: { checked: number; ms: number }[] = [];
      for (let round = 0; round < rounds; round += 1) taken.push(await whole());
      const { coreMs, heldP99, heldMax } = await service.probe.ask('read', null);
      const ms = taken.map((each) => each.ms);
      const late = { unit: 'ms', reference: longestMs };
      return [
        // The owner is a member too.
        {
          name: `${name}: checked`,
          measured: taken.at(-1)?.checked ?? 0,
          reference: members + 1,
          exact: true,
          unit: '',
        },
        { name: `${name}: until its end`, measured: ms, reference: ms, unit: 'ms' },
        {
          name: `${name}: time of a core / wall`,
          measured: coreMs,
          reference: ms.reduce((sum, each) => sum + each, 0),
          unit: 'ms',
        },
        { ...late, name: `${name}: event loop held, p99`, measured: heldP99, atMost: 1 },
        { ...late, name: `${name}: event loop held, at most`, measured: heldMax },
      ];
    };
    const name = `preview of ${members} members`;
    const few = await measured(name);
    const mappings = Array.from({ length: manyMappings }, (_, n) => ({
      ...benchMapping(guildId, n, role.id),
      condition: { type: 'group_rank' as const, groupId, min: (n % 250) + 1, max: 255 },
    }));
    await Mappings.acrossGuilds.insertMany(mappings);
    const figures = [...few, ...(await measured(`${name}, ${manyMappings} mappings`))];
    process.stdout.write(`${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    await service.probe.kill();
    await Promise.all([discord.stop(), roblox.stop(), mongoose.disconnect()]);
    await removeFolder(dataDir);
    await engine.close();
  }
}
