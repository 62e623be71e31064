import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Connection } from 'mongoose';

const backupScript = fileURLToPath(new URL('../../src/edges/cli/run-backup.js', import.meta.url));

/** A day's changes: one for every so many people, each with an entry in the log. */
const peopleOfAChange = 20;
const columns = [
  'servers',
  'people',
  'processes',
  'memory each',
  'database operations a second',
  'growth a day',
  'data',
  'indexes',
  'backup',
] as const;

/** One measured set-up, as docs/scaling.md lists it. */
export interface PlanningRow {
  servers: number;
  people: number;
  processes: number;
  /** Of the process that takes the most, in MB. */
  memoryMb: number;
  operationsASecond: number;
  /** Of one entry of the log with its part of the indexes. */
  bytesOfEntry: number;
  dataBytes: number;
  indexBytes: number;
  backupMs: number;
}

/** The rows as a Markdown table, to be put into docs/scaling.md. */
export function planningTable(rows: readonly PlanningRow[]): string {
  const cells = rows.map((row) => [
    String(row.servers),
    row.people.toLocaleString('en'),
    String(row.processes),
    `${row.memoryMb.toFixed(0)} MB`,
    row.operationsASecond.toFixed(1),
    megabytes((row.people / peopleOfAChange) * row.bytesOfEntry),
    megabytes(row.dataBytes),
    megabytes(row.indexBytes),
    `${(row.backupMs / 1_000).toFixed(1)} s`,
  ]);
  return [columns, columns.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const megabytes = (bytes: number): string => {
  const mb = bytes / 1_000_000;
  return `${mb < 10 ? mb.toFixed(1) : mb.toFixed(0)} MB`;
};

/** The operations that the engine has had so far, of all kinds. */
export async function operationsOf({ db }: Connection): Promise<number> {
  const { opcounters = {} } = (await db?.admin().serverStatus()) ?? {};
  return Object.values(opcounters as Record<string, number>).reduce((sum, count) => sum + count, 0);
}

/** The sizes of a database once they are on disk. */
export async function sizesOf({
  db,
}: Connection): Promise<Pick<PlanningRow, 'dataBytes' | 'indexBytes' | 'bytesOfEntry'>> {
  await db?.admin().command({ fsync: 1 });
  const { dataSize = 0, indexSize = 0 } = (await db?.stats()) ?? {};
  const [log] =
    (await db
      ?.collection('audit_log')
      .aggregate([{ $collStats: { storageStats: {} } }])
      .toArray()) ?? [];
  const { size = 0, totalIndexSize = 0, count = 0 } = log?.storageStats ?? {};
  return {
    dataBytes: dataSize,
    indexBytes: indexSize,
    bytesOfEntry: count === 0 ? 0 : (size + totalIndexSize) / count,
  };
}

/** How long `rolelink backup` takes, in ms. */
export async function timeBackup(environment: Record<string, string>, folder: string): Promise<number> {
  const startedAt = performance.now();
  const file = join(folder, `backup-${Date.now()}`);
  await promisify(execFile)(process.execPath, [backupScript, file], { env: environment, cwd: folder });
  return performance.now() - startedAt;
}
