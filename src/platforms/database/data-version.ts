import mongoose from 'mongoose';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError } from '../../lib/start-error.js';
import { minuteMs } from '../../lib/time.js';
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

export const versionCollection = 'data_version';
export const latestVersion = (list: readonly Migration[] = migrations): number => list.at(-1)?.to ?? firstVersion;

/**
 * Allows only databases with a known format. @throws DatabaseStartError for newer data and for an unfinished restore.
 */
export async function requireKnownData(list?: readonly Migration[]): Promise<void> {
  const found = await readVersion();
  if (found?.restoring) {
    throw new DatabaseStartError('A restore into this database did not finish. Run `rolelink restore FILE` again.');
  }
  refuseNewer(found?.version ?? firstVersion, list);
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
export async function migrateData(list: readonly Migration[] = migrations): Promise<void> {
  if ((await readVersion())?.version === latestVersion(list)) return;
  const pending = async (): Promise<void> => {
    const from = (await readVersion())?.version ?? firstVersion;
    for (const { to, run } of list.filter((migration) => migration.to > from)) {
      logger.info({ to }, 'migrating stored data');
      await run();
      await writeVersion(to);
    }
    if (list.length === 0) await writeVersion(firstVersion);
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
