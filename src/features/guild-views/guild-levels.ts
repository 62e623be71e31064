import { trusted } from 'mongoose';
import { type GuildReading, guildsWithLevel, storeLevels } from '../../core/counters/daily-levels.js';
import { activeGuildPlans, type Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { foreground } from '../../lib/foreground.js';
import { inPieces } from '../../lib/in-pieces.js';
import { hourMs, secondMs } from '../../lib/time.js';
import { standing } from '../../platforms/jobs/standing.js';
import { type Mapping, Mappings } from '../mappings/mapping-model.js';
import { countLinkedMembers } from '../members/linked-counts.js';
import { readRankAge } from '../rank-watch/rank-age.js';
import { rankTargetMs } from '../rank-watch/rank-target.js';

type Owner = Pick<Guild, '_id' | 'plan'>;
type Counted = Pick<Mapping, '_id' | 'guildId' | 'people'>;

/** Guilds per mapping read and per write. */
const guildsAtOnce = 100;
/** The longest wait for people before each guild, in milliseconds. */
const yieldMs = 100;

standing({
  name: 'note-levels',
  everyMs: hourMs,
  atStart: false,
  run: (signal) => noteLevels(signal),
});

/** Stores the state for each guild that was not read in the last hours, for its history (API-85). */
export async function noteLevels(signal: AbortSignal): Promise<void> {
  const known = await guildsWithLevel(clock.now());
  const due: Owner[] = [];
  for await (const guild of activeGuildPlans()) if (!known.has(guild._id)) due.push(guild);
  for (const some of inPieces(due, guildsAtOnce)) {
    const readings = await readAll(some, signal);
    if (readings.length > 0) await storeLevels(readings, clock.now());
  }
}

async function readAll(guilds: readonly Owner[], signal: AbortSignal): Promise<GuildReading[]> {
  if (signal.aborted) return [];
  const mappings = await Mappings.acrossGuilds
    .find({ guildId: trusted({ $in: guilds.map(({ _id }) => _id) }) }, { guildId: 1, people: 1 })
    .lean<Counted[]>();
  const byGuild = new Map<string, Counted[]>(guilds.map(({ _id }) => [_id, []]));
  for (const mapping of mappings) byGuild.get(mapping.guildId)?.push(mapping);
  const readings: GuildReading[] = [];
  for (const guild of guilds) {
    if (signal.aborted) break;
    await foreground.yield(yieldMs);
    readings.push(await readLevel(guild, byGuild.get(guild._id) ?? []));
  }
  return readings;
}

/** A guild's current state. Without linked members, no ranks are read. */
export async function readLevel({ _id: guildId, plan }: Owner, mappings: readonly Counted[]): Promise<GuildReading> {
  const linked = await countLinkedMembers(guildId, 'now');
  const rankAge = linked === 0 ? null : (await readRankAge({ _id: guildId, plan })).ageSeconds;
  const rankTarget = rankTargetMs(plan) / secondMs;
  const counted = mappings.flatMap(({ _id, people }) => (people === undefined ? [] : [[_id, people.holding] as const]));
  return { guildId, linked, rankAge, rankTarget, ...(counted.length > 0 && { holding: Object.fromEntries(counted) }) };
}
