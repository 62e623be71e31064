import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import type { StoredPlan } from '../../../src/features/sync/plan/plan-model.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { latestResync } from '../../../src/features/sync/resync/resync-service.js';
import { eventually, type TestGuild } from '../../support/build.js';

export async function enqueueNow({ guildId }: Pick<TestGuild, 'guildId'>): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId }, { $set: { catchUpSince: new Date(), catchUpAt: new Date(0) } });
}

/** Starts a guild's pending reconciliation and waits until it is complete; returns its resync. */
export async function caughtUp({ guildId }: Pick<TestGuild, 'guildId'>): Promise<{ job: StoredPlan }> {
  const owed = { _id: guildId, catchUpSince: { $exists: true } };
  await eventually(() => GuildRecord.collection.findOne<object>(owed as object), 'the debt');
  await GuildRecord.collection.updateOne(owed as object, { $set: { catchUpAt: new Date(0) } });
  await startReconciliations(new AbortController().signal);
  await eventually(async () => !(await GuildRecord.collection.findOne(owed as object)), 'the catch-up');
  return { job: await eventually(() => latestResync(guildId), 'the resync') };
}
