import { trusted } from 'mongoose';
import { dayMs } from '../../lib/time.js';
import { removeInSteps } from '../../platforms/database/in-steps.js';
import { AuditLog, platformLog } from '../audit/audit-model.js';
import { plans } from '../plans/plans.js';
import { type Guild, GuildRecord, withPlan } from './guild-model.js';

const graceMs = 7 * dayMs;
/** Retention for entries outside guilds, equal to the largest plan's. */
const platformDays = plans.enterprise.logDays;
const guildsAtOnce = 500;

type LogOwner = Pick<Guild, '_id' | 'plan' | 'logRetention'>;
type LogRetention = NonNullable<Guild['logRetention']>;

/** Removes entries older than their guild's retention (PLAN-8). */
export async function purgeAuditLog(now: Date, signal?: AbortSignal): Promise<void> {
  await removeOlder([platformLog], platformDays, now);
  let batch: LogOwner[] = [];
  const owners = GuildRecord.find({}, { plan: 1, logRetention: 1 }).lean<LogOwner>().cursor().map(withPlan);
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
  const retentions = guilds.map((guild) => ({ guild, kept: retentionNow(guild, now) }));
  const writes = retentions.flatMap(({ guild: { _id, logRetention: before }, kept }) => {
    const isSame = before?.days === kept.days && before.shorterFrom?.getTime() === kept.shorterFrom?.getTime();
    return isSame ? [] : [{ updateOne: { filter: { _id }, update: { $set: { logRetention: kept } } } }];
  });
  if (writes.length > 0) await GuildRecord.bulkWrite(writes, { ordered: false });
  for (const days of new Set(retentions.map(({ kept }) => kept.days))) {
    const alike = retentions.filter(({ kept }) => kept.days === days);
    await removeOlder(
      alike.map(({ guild }) => guild._id),
      days,
      now,
    );
  }
}

function retentionNow({ plan, logRetention: before }: LogOwner, now: Date): LogRetention {
  const { logDays } = plans[plan];
  if (before === undefined || logDays >= before.days) return { days: logDays, shorterFrom: null };
  const shorterFrom = before.shorterFrom ?? new Date(now.getTime() + graceMs);
  return shorterFrom <= now ? { days: logDays, shorterFrom: null } : { days: before.days, shorterFrom };
}

async function removeOlder(guildIds: readonly string[], days: number, now: Date): Promise<void> {
  const before = new Date(now.getTime() - days * dayMs);
  const older = { guildId: trusted({ $in: [...guildIds] }), at: trusted({ $lt: before }) };
  await removeInSteps(AuditLog.acrossGuilds, older, { guildId: 1, at: -1, _id: -1 });
}
