import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import mongoose from 'mongoose';
import { z } from 'zod';
import { ConfigError, fileFault } from '../../lib/start-error.js';
import type { StoredDocument } from './data-replacement.js';

const { EJSON } = mongoose.mongo.BSON;

const header = z.strictObject({
  rolelink: z.literal('backup'),
  version: z.int(),
  madeAt: z.iso.datetime(),
  /** The content of DATA_DIR/keys.json; null if the keys are in the environment. */
  keys: z.string().nullable(),
});
export type BackupHeader = z.output<typeof header>;

const line = z.tuple([z.string(), z.looseObject({})]);
const lastLine = z.strictObject({ documents: z.int() });

/**
 * Writes a backup to `path`, readable only by its owner. It is a gzip file with one JSON line for the header, one per
 * document (MongoDB Extended JSON) and one with their count. The file gets its name once it is complete and on disk.
 * Returns the document count. Throws ConfigError if the file exists.
 */
export async function writeBackup(
  path: string,
  head: BackupHeader,
  documents: AsyncIterable<StoredDocument>,
): Promise<number> {
  if (await stat(path).catch(() => undefined)) throw new ConfigError(`${path} is there already. Give another name.`);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    yield `${JSON.stringify(head)}\n`;
    for await (const { collection, document } of documents) {
      count += 1;
      yield `${EJSON.stringify([collection, document], { relaxed: false })}\n`;
    }
    yield `${JSON.stringify({ documents: count })}\n`;
  }
  try {
    const file = await open(`${path}.part`, 'w', 0o600);
    await pipeline(Readable.from(lines()), createGzip(), file.createWriteStream({ flush: true }));
    await rename(`${path}.part`, path);
  } catch (cause) {
    const why = fileFault(cause);
    if (why === undefined) throw cause;
    await rm(`${path}.part`, { force: true }).catch(() => undefined);
    throw new ConfigError(`${path} can't be written: ${why}.`, { cause });
  }
  return count;
}

/**
 * Reads a whole backup and returns its header. Throws ConfigError for a file that is no backup, damaged or incomplete.
 */
export async function checkBackup(path: string): Promise<BackupHeader> {
  let head: BackupHeader | undefined;
  let [documents, last] = [-1, ''];
  try {
    for await (const text of linesOf(path)) {
      head ??= header.parse(JSON.parse(text));
      documents += 1;
      last = text;
    }
    if (head !== undefined && lastLine.parse(JSON.parse(last)).documents === documents - 1) return head;
    throw new SyntaxError('its end is missing');
  } catch (cause) {
    const isOfDisk = cause instanceof Error && 'syscall' in cause;
    const why = isOfDisk ? cause.message : 'it is damaged, cut off, or no backup';
    throw new ConfigError(`${path} can't be restored: ${why}.`, { cause });
  }
}

export async function* documentsOf(path: string): AsyncGenerator<StoredDocument> {
  let previous: string | undefined;
  let isFirst = true;
  for await (const text of linesOf(path)) {
    if (previous !== undefined) {
      const [collection, document] = line.parse(EJSON.parse(previous, { relaxed: false }));
      yield { collection, document };
    }
    // The first and last lines are not documents.
    previous = isFirst ? undefined : text;
    isFirst = false;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  const unpacked = createGunzip();
  // A file error must reach the reader too, or the reader would only see a broken iterator.
  source.once('error', (error) => unpacked.destroy(error));
  let failed: Error | undefined;
  unpacked.once('error', (error) => {
    failed = error;
  });
  try {
    for await (const text of Readable.from(createInterface({ input: source.pipe(unpacked) }))) yield String(text);
  } catch (error) {
    throw failed ?? error;
  }
}
