import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { openEmbeddedEngine } from '../../src/platforms/database/embedded-engine.js';
import { removeFolder } from './remove-folder.js';

export interface TestDatabase {
  /** The engine's address, for this process and its children; each `dbName` on it is its own database. */
  uri: string;
  close(): Promise<void>;
}

/** This process's engine; it can have one. */
let opened: TestDatabase | undefined;

/** Opens the embedded engine in a fresh folder, which is removed at `close` or when the process ends. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'rolelink-test-'));
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true });
  const engine = await openEmbeddedEngine(folder);
  process.once('exit', removeAtExit);
  const close = async () => {
    opened = undefined;
    await engine.close();
    process.off('exit', removeAtExit);
    await removeFolder(folder);
  };
  opened = { uri: engine.uri, close };
  return opened;
}

/**
 * The test database with Mongoose connected, for one test file: the run's own if its root hooks exist, otherwise a new
 * one that `close` closes.
 */
export async function connectTestDatabase(): Promise<TestDatabase & { dbName: string }> {
  const { connection, ConnectionStates } = mongoose;
  if (opened && connection.readyState === ConnectionStates.connected) {
    return { uri: opened.uri, dbName: connection.name, close: async () => {} };
  }
  const engine = await openTestDatabase();
  const database = await connectDatabase({ uri: engine.uri, dataDir: '', dbName: 'test' });
  const close = async () => {
    await database.close();
    await engine.close();
  };
  return { uri: engine.uri, dbName: 'test', close };
}
