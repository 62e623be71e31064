import { trusted } from 'mongoose';
import { Members } from '../../../src/features/members/member-model.js';
import { readInterests } from '../../../src/features/rank-watch/rank-interests.js';
import { RankWatch } from '../../../src/features/rank-watch/rank-watch.js';
import {
  type WatchedAccount,
  WatchedAccounts,
  WatchedGroups,
  WatchedGuilds,
} from '../../../src/features/rank-watch/watched-models.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { serviceState } from '../../../src/platforms/database/service-state.js';
import { runPendingSyncs } from '../../support/background.js';
import { eventually, type TestGuild, type TestPerson } from '../../support/build.js';

const never = new AbortController().signal;
/** Among the key's calls: enough that no test waits for them. */
const plenty = 1_000;

/** A watch that is driven by the test. Each knows the guilds as they are when it begins. */
export const newWatch = (): RankWatch => new RankWatch(never, plenty);

/** Does everything due now: adds links, polls groups, reads people. */
export async function watchAll(watch = newWatch()): Promise<void> {
  await watch.takeOver();
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    while ((await watch.batch()) === 0) isBusy = true;
    while ((await watch.poll()) === 0) isBusy = true;
  }
}

/** Offset to the machine's clock: after each test the clock goes back, but stored data does not. */
let laterMs = 0;

/** Removes earlier files' people and rules, which this process's watch would also read. */
export async function beginAlone(): Promise<void> {
  const { collections } = Members.acrossGuilds.db;
  const watched = [WatchedAccounts, WatchedGuilds, WatchedGroups].map(({ collection }) => collection);
  const ofOthers = ['members', 'mappings', 'settings'].flatMap((name) => collections[name] ?? []);
  await Promise.all([...watched, ...ofOthers].map((collection) => collection.deleteMany({})));
  await readLinksAgain();
}

/** Makes the watch read all links again, as if none had been taken over. */
export async function readLinksAgain(): Promise<void> {
  await serviceState().deleteOne({ _id: 'watched_links' });
}

export function letPass(seconds: number): void {
  laterMs += seconds * 1000;
  clock.jump(laterMs - (clock.epochMs() - Date.now()));
}

/** Runs `watchAll` this many seconds later. */
export async function watchAfter(seconds: number, watch = newWatch()): Promise<void> {
  letPass(seconds);
  await watchAll(watch);
}

/** Adds people that were linked long ago, and reads them until their method is settled. */
export async function beginWatch({ guildId }: Pick<TestGuild, 'guildId'>): Promise<void> {
  await Members.acrossGuilds.updateMany({ guildId }, { $set: { linkedAt: new Date(Date.now() - hourMs) } });
  // Before the people: a group that is named later makes them due in two minutes (RANK-40).
  await readInterests();
  await readLinksAgain();
  await watchAfter(0);
  // The second poll finds whether the groups are watched by their counts; the third reads people accordingly.
  await watchAfter(61);
  await watchAfter(61);
}

/** Stops watching everyone linked so far. */
export async function forgetWatched(): Promise<void> {
  await watchAfter(0);
  await Members.acrossGuilds.updateMany({}, { $unset: { linkedAt: 1 } });
  await Promise.all([WatchedAccounts.deleteMany({}), WatchedGuilds.deleteMany({})]);
}

/** Waits until no sync is pending in the guild. */
export async function allPaid({ guildId }: TestGuild): Promise<void> {
  const owed = { guildId, 'owedSync.dueAt': trusted({ $exists: true }) };
  const owing = () => Members.acrossGuilds.countDocuments(owed);
  await eventually(async () => {
    await runPendingSyncs(guildId);
    return (await owing()) === 0;
  }, 'all syncs');
}

export async function watchedOf({ gameUserId }: TestPerson): Promise<WatchedAccount> {
  return WatchedAccounts.findById(gameUserId).orFail().lean<WatchedAccount>();
}

/** The triggers on a person's stored syncs, oldest first. */
export async function triggersOf({ guildId }: TestGuild, { chatUserId }: TestPerson): Promise<string[]> {
  const member = await Members.findOne({ guildId, chatUserId });
  return (member?.syncs ?? []).map(({ trigger }) => trigger);
}
