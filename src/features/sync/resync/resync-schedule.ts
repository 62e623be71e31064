import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { systemActor } from '../../../core/actors/actor.js';
import { type Guild, pageOfGuilds } from '../../../core/guilds/guild-service.js';
import { plans } from '../../../core/plans/plans.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { hourMs } from '../../../lib/time.js';
import { schemaOf } from '../../../platforms/database/schema-of.js';
import { startResync } from './resync-service.js';

const guildsPerRead = 500;

/** When the automatic resync of a guild, whose id it has, began last. */
const automaticResyncFields = z.strictObject({ _id: z.string(), lastAt: z.date() });
const AutomaticResyncs = model('AutomaticResync', schemaOf('automatic_resyncs', automaticResyncFields));

/** Starts the automatic resyncs that are due (SPEC §4 Plans, Settings). Guilds come due at their own times of the hour. */
export async function startDueResyncs(now: Date, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const guilds = await pageOfGuilds(after, guildsPerRead);
    const last = guilds.at(-1);
    if (last === undefined) return;
    after = last._id;
    const lastRuns = await AutomaticResyncs.find({ _id: trusted({ $in: guilds.map(({ _id }) => _id) }) }).lean();
    const lastAt = new Map(lastRuns.map((run) => [run._id, run.lastAt]));
    for (const guild of guilds) await startIfDue(guild, lastAt.get(guild._id) ?? guild.joinedAt, now);
  }
}

async function startIfDue(guild: Guild, lastAt: Date, now: Date): Promise<void> {
  const planned = plans[guild.plan].resyncEveryHours;
  if (guild.state === 'suspended' || planned === null || isWithin(planned, lastAt, now)) return;
  const hours = automaticEveryHours(guild, await readSettings(guild._id));
  if (hours === null || isWithin(hours, lastAt, now)) return;
  await startResync(guild, systemActor('automatic-resync'));
  await AutomaticResyncs.updateOne({ _id: guild._id }, { $set: { lastAt: now } }, { upsert: true });
}

/** How often a guild is resynced by itself: as its settings wish, but not more often than its plan allows; null: never. */
export function automaticEveryHours({ plan }: Pick<Guild, 'plan'>, { resync }: GuildSettings): number | null {
  const allowed = plans[plan].resyncEveryHours;
  if (allowed === null || !resync.automatic) return null;
  return Math.max(allowed, resync.everyHours ?? allowed);
}

function isWithin(hours: number, since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() < hours * hourMs;
}
