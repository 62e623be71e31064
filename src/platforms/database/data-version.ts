import mongoose from 'mongoose';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { noteDeliveryPeople } from './delivery-people.js';
import { moveDifferences } from './differences-move.js';
import { deleteEmptiedRemains } from './emptied-remains.js';
import { moveGuildParts } from './guild-parts-move.js';
import { storeWordsByGuild } from './guild-words.js';
import { withLease } from './lease.js';
import { nameMainAccounts } from './main-accounts.js';
import { moveFormerIsOurs, movePlans, moveSwitches } from './plans-move.js';
import { moveRemembered } from './remembered-move.js';
import { moveRemovals } from './removals-move.js';

/** The stored version of the document format. */
export interface DataVersion {
  _id: 'data';
  version: number;
  /** An unfinished restore: the data is incomplete. */
  restoring?: boolean;
  /**
   * An upgrade to version `to`. Until `until`, a newer process waits for the end of the older ones. With `begun`,
   * documents may have changed.
   */
  upgrade?: { to: number; until: Date; begun?: boolean };
}

/** A change to stored documents from one version to the next. If interrupted, it runs again from its start. */
export interface Migration {
  to: number;
  run(): Promise<void>;
}

/** In order. A database without a version has version 1, the format before versions existed. */
const migrations: readonly Migration[] = [
  { to: 2, run: noteDeliveryPeople },
  { to: 3, run: deleteEmptiedRemains },
  { to: 4, run: moveRemembered },
  { to: 5, run: removeWakeUps },
  { to: 6, run: movePlans },
  { to: 7, run: moveGuildParts },
  { to: 8, run: moveSwitches },
  { to: 9, run: storeWordsByGuild },
  { to: 10, run: moveDifferences },
  { to: 11, run: moveRemovals },
  { to: 12, run: moveFormerIsOurs },
  { to: 13, run: nameMainAccounts },
];
const firstVersion = 1;
/** An announcement counts for this long, so that a newer process that was killed holds nobody up. */
const announcedMs = 30 * secondMs;

/** Those of this process. */
let known = migrations;

/** Adds the migrations of a later Rolelink, as the tests do for a newer process. */
export function addMigrations(more: readonly Migration[]): void {
  known = [...migrations, ...more];
}

export const versionCollection = 'data_version';
export const latestVersion = (list: readonly Migration[] = known): number => list.at(-1)?.to ?? firstVersion;

/**
 * Allows only databases with a known format. @throws DatabaseStartError for newer data, a newer process's upgrade, and an
 * unfinished restore.
 */
export async function requireKnownData(list?: readonly Migration[]): Promise<void> {
  const found = await readVersion();
  if (found?.restoring) {
    throw new DatabaseStartError('A restore into this database did not finish. Run `rolelink restore FILE` again.');
  }
  refuseNewer(Math.max(found?.version ?? firstVersion, upgradeIn(found)), list);
}

/** The version that an upgrade under way leads to, or 0. A newer process that was killed while it waited is none. */
const upgradeIn = (found: DataVersion | null): number => {
  const { to, until, begun = false } = found?.upgrade ?? { to: 0, until: new Date(0) };
  return begun || until > clock.now() ? to : 0;
};

/** The data version that this process doesn't know, stored or on its way. */
export async function newerVersion(): Promise<number | undefined> {
  const found = await readVersion();
  const version = Math.max(found?.version ?? firstVersion, upgradeIn(found));
  return version > latestVersion() ? version : undefined;
}

/** Whether the next start changes stored documents. A database without documents of ours has nothing to change. */
export async function upgradePending(): Promise<boolean> {
  const found = await readVersion();
  return found !== null && found.version < latestVersion();
}

/** Tells older processes for half a minute that an upgrade waits for their end. */
export async function announceUpgrade(): Promise<void> {
  const upgrade = { to: latestVersion(), until: new Date(clock.epochMs() + announcedMs) };
  await versions().updateOne({ _id: 'data', 'upgrade.begun': { $ne: true } }, { $set: { upgrade } });
}

/** @throws DatabaseStartError for a version unknown to this Rolelink. */
export function refuseNewer(version: number, list?: readonly Migration[]): void {
  const known = latestVersion(list);
  if (version <= known) return;
  throw new DatabaseStartError(
    `This data was written by a newer Rolelink (data version ${version}; this one knows ${known}). ` +
      'Start the newer Rolelink again, or restore a backup from before the upgrade.',
  );
}

/** Runs each missing migration once, even if several processes start together. */
export async function migrateData(list: readonly Migration[] = known): Promise<void> {
  if ((await readVersion())?.version === latestVersion(list)) return;
  const pending = async (): Promise<void> => {
    const from = (await readVersion())?.version ?? firstVersion;
    const upgrade = { to: latestVersion(list), until: clock.now(), begun: true };
    await versions().updateOne({ _id: 'data' }, { $set: { upgrade } });
    for (const { to, run } of list.filter((migration) => migration.to > from)) {
      logger.info({ to }, 'migrating stored data');
      await run();
      await writeVersion(to);
    }
    if (list.length === 0) await writeVersion(firstVersion);
    await versions().updateOne({ _id: 'data' }, { $unset: { upgrade: '' } });
  };
  await withLease('migration', pending, { waitMs: 10 * minuteMs });
}

/** Single jobs' wake-ups are no longer stored, and the start stores Agenda's one job again, with its index. */
async function removeWakeUps(): Promise<void> {
  await mongoose.connection.db?.dropCollection('agendaJobs');
}

const versions = () => mongoose.connection.collection<DataVersion>(versionCollection);

const readVersion = (): Promise<DataVersion | null> => versions().findOne({ _id: 'data' });

async function writeVersion(version: number): Promise<void> {
  await versions().updateOne({ _id: 'data' }, { $set: { version } }, { upsert: true });
}
