import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import type { StoredPlan } from '../../../src/features/sync/plan/plan-model.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { latestResync } from '../../../src/features/sync/resync/resync-service.js';
import { eventually, type TestGuild } from '../../support/build.js';

export async function enqueueNow({ guildId }: Pick<TestGuild, 'guildId'>): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId }, { $set: { catchUpSince: new Date(), catchUpAt: new Date(0) } });
}

export async function isOwedCatchUp({ guildId }: Pick<TestGuild, 'guildId'>): Promise<boolean> {
  return (await GuildRecord.findById(guildId).lean())?.catchUpSince !== undefined;
}

/** Starts a guild's pending reconciliation. */
export async function startCatchUp(guild: Pick<TestGuild, 'guildId'>): Promise<void> {
  await eventually(() => isOwedCatchUp(guild), 'the debt');
  await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { catchUpAt: new Date(0) } });
  await startReconciliations(new AbortController().signal);
}

/** Starts a guild's pending reconciliation and waits until it is complete; returns its resync. */
export async function caughtUp(guild: Pick<TestGuild, 'guildId'>): Promise<{ job: StoredPlan }> {
  await startCatchUp(guild);
  await eventually(async () => !(await isOwedCatchUp(guild)), 'the catch-up');
  return { job: await eventually(() => latestResync(guild.guildId), 'the resync') };
}
