import { trusted } from 'mongoose';
import { z } from 'zod';
import { dayMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { plans } from '../plans/plans.js';
import type { LogOwner } from './audit-filter.js';
import { AuditLog, platformLog } from './audit-model.js';

/**
 * A guild's log retention in days. It rises with the plan immediately and falls one week later, so a downgrade reversed
 * within that week destroys nothing.
 */
const logRetentionFields = z.strictObject({
  guildId: z.string(),
  days: z.number(),
  /** After a downgrade: the time from which the shorter retention applies. */
  shorterFrom: z.date().nullable(),
});
type LogRetention = z.output<typeof logRetentionFields>;

const schema = schemaOf('log_retention', logRetentionFields);
// The retention of a batch of guilds, for the purge.
schema.index({ guildId: 1 }, { unique: true });

const Retentions = new GuildModel<LogRetention>('LogRetention', schema);

const graceMs = 7 * dayMs;
/** The retention of entries outside guilds, equal to the largest plan's. */
const platformDays = plans.enterprise.logDays;
const guildsAtOnce = 500;

/** Removes entries older than their guild's retention (PLAN-8). `owners`: every guild with its plan. */
export async function purgeAuditLog(
  owners: AsyncIterable<LogOwner> | Iterable<LogOwner>,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  await removeOlder([platformLog], platformDays, now);
  let batch: LogOwner[] = [];
  for await (const guild of owners) {
    if (signal?.aborted) return;
    batch.push(guild);
    if (batch.length < guildsAtOnce) continue;
    await purgeGuilds(batch, now);
    batch = [];
  }
  await purgeGuilds(batch, now);
}

async function purgeGuilds(guilds: readonly LogOwner[], now: Date): Promise<void> {
  const ids = guilds.map(({ _id }) => _id);
  const known = await Retentions.acrossGuilds.find({ guildId: trusted({ $in: ids }) }).lean<LogRetention[]>();
  const before = new Map(known.map((retention) => [retention.guildId, retention]));
  const retentions = guilds.map((guild) => retentionNow(guild, before.get(guild._id), now));
  const changed = retentions.filter(({ guildId, days, shorterFrom }) => {
    const stored = before.get(guildId);
    return stored?.days !== days || stored.shorterFrom?.getTime() !== shorterFrom?.getTime();
  });
  const writes = changed.map(({ guildId, days, shorterFrom }) => ({
    updateOne: { filter: { guildId }, update: { $set: { days, shorterFrom } }, upsert: true },
  }));
  if (writes.length > 0) await Retentions.acrossGuilds.bulkWrite(writes, { ordered: false });
  for (const days of new Set(retentions.map((retention) => retention.days))) {
    const alike = retentions.filter((retention) => retention.days === days);
    await removeOlder(
      alike.map(({ guildId }) => guildId),
      days,
      now,
    );
  }
}

function retentionNow({ _id: guildId, plan }: LogOwner, before: LogRetention | undefined, now: Date): LogRetention {
  const { logDays } = plans[plan];
  if (before === undefined || logDays >= before.days) return { guildId, days: logDays, shorterFrom: null };
  const shorterFrom = before.shorterFrom ?? new Date(now.getTime() + graceMs);
  return shorterFrom <= now ? { guildId, days: logDays, shorterFrom: null } : { ...before, guildId, shorterFrom };
}

async function removeOlder(guildIds: readonly string[], days: number, now: Date): Promise<void> {
  const before = new Date(now.getTime() - days * dayMs);
  const older = { guildId: trusted({ $in: [...guildIds] }), at: trusted({ $lt: before }) };
  await removeInSteps(AuditLog.acrossGuilds, older, { guildId: 1, at: -1, _id: -1 });
}
