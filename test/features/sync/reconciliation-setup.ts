import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import type { ResyncJob } from '../../../src/features/sync/resync/resync-job-model.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { latestResync } from '../../../src/features/sync/resync/resync-service.js';
import { eventually, type TestGuild } from '../../support/build.js';

/** Owes a guild a catch-up that is due at once. */
export async function enqueueNow({ guildId }: Pick<TestGuild, 'guildId'>): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId }, { $set: { catchUpSince: new Date(), catchUpAt: new Date(0) } });
}

/** Begins the catch-up that a guild is owed by now, and waits until it has caught up; gives the resync that did it. */
export async function caughtUp({ guildId }: Pick<TestGuild, 'guildId'>): Promise<{ job: ResyncJob }> {
  const owed = { _id: guildId, catchUpSince: { $exists: true } };
  await eventually(() => GuildRecord.collection.findOne<object>(owed as object), 'the debt');
  await GuildRecord.collection.updateOne(owed as object, { $set: { catchUpAt: new Date(0) } });
  await startReconciliations(new AbortController().signal);
  await eventually(async () => !(await GuildRecord.collection.findOne(owed as object)), 'the catch-up');
  return { job: await eventually(() => latestResync(guildId), 'the resync') };
}
