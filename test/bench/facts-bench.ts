import { parseArgs } from 'node:util';
import { systemActor } from '../../src/core/actors/actor.js';
import { reportFacts } from '../../src/features/members/fact-reports.js';
import { Members, memberIndexes } from '../../src/features/members/member-model.js';
import { logger } from '../../src/lib/logger.js';
import { mapTo } from '../features/sync/sync-setup.js';
import { buildGuild } from '../support/build.js';
import { type Figure, inTurns, passes, table } from './figures.js';

const atOnce = 100;
const factsEach = 10;
/** As a share of the bare writes' facts a second. */
const speedAtLeast = 0.3;

interface Round {
  perSecond: number;
  /** Time of a core in this process, as a share of the round. The engine is a process of its own. */
  coreShare: number;
}

/**
 * `facts [--rounds R] [--people N]`: facts a second that a game reports, 10 each for 100 people at once, where no sync
 * becomes pending. It is held against the same writes by the driver alone.
 */
export async function benchFacts(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { rounds: option, people: option } });
  const [rounds, people] = [Number(values.rounds ?? '7'), Number(values.people ?? '1000')];
  const { guild, guildId, ...built } = await buildGuild();
  logger.level = 'silent';
  await mapTo({ guild, guildId, ...built }, { type: 'fact', key: 'key_0', atLeast: 1 });
  const ids = Array.from({ length: people }, (_, n) => String(1_000_000 + n));
  await fill(guildId, ids);
  const actor = systemActor('bench');
  let value = 1;
  const reported = () =>
    timed(ids, async (some) => {
      value += 1;
      const facts = Object.fromEntries(namesOf().map((key) => [key, value]));
      const answers = await reportFacts(
        guild,
        actor,
        some.map((gameUserId) => ({ gameUserId, facts })),
      );
      if (answers.some(({ status }) => status !== 'stored')) throw new Error('A fact was not stored.');
    });
  const bare = () => timed(ids, (some) => writeBare(guildId, some));
  const { a, b } = await inTurns(rounds, reported, bare);
  const figures: Figure[] = [
    {
      ...{
        name: 'facts a second',
        measured: a.map(({ perSecond }) => perSecond),
        reference: b.map(({ perSecond }) => perSecond),
      },
      ...{ atLeast: speedAtLeast, unit: '/s' },
    },
    {
      ...{ name: 'share of a core in the service', unit: '%' },
      ...{ measured: a.map(({ coreShare }) => coreShare * 100), reference: b.map(({ coreShare }) => coreShare * 100) },
    },
  ];
  process.stdout.write(`${table(figures)}\n`);
  return figures.every(passes);
}

const namesOf = (): string[] => Array.from({ length: factsEach }, (_, n) => `key_${n}`);

async function fill(guildId: string, ids: readonly string[]): Promise<void> {
  const names = {
    chatUsername: 'person',
    gameUsername: 'Player',
    gameDisplayName: 'Player',
    names: ['person', 'player'],
  };
  const members = ids.map((gameUserId, n) => ({
    ...{ guildId, chatUserId: String(200_000_000_000_000_000n + BigInt(n)), gameUserId, ...names },
    ...{ state: 'linked', present: true, autoLinkBlocked: false, linkedAt: new Date(), syncs: [] },
  }));
  await Members.acrossGuilds.collection.insertMany(members as never);
}

async function timed(ids: readonly string[], write: (some: string[]) => Promise<void>): Promise<Round> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  for (let at = 0; at < ids.length; at += atOnce) await write(ids.slice(at, at + atOnce));
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (ids.length * factsEach * 1_000) / tookMs, coreShare: (user + system) / 1_000 / tookMs };
}

/** The same change of each document, without a look at what is there. */
async function writeBare(guildId: string, gameUserIds: readonly string[]): Promise<void> {
  const at = new Date();
  const values = namesOf().map((key) => ({ key, value: Math.random(), at, ceilingRoleId: null }));
  const writes = gameUserIds.map((gameUserId) => ({
    updateOne: {
      filter: { guildId, gameUserId },
      update: { $set: { facts: { gameUserId, rev: 'bare', values } } },
      hint: memberIndexes.gameUserId,
    },
  }));
  await Members.acrossGuilds.collection.bulkWrite(writes, { ordered: false });
}
