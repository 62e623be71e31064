import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { socketFolderPrefix } from './engine-process.js';

const fileOf = (directory: string): string => join(directory, 'address');

/** Stores the address of the engine that has `directory` open, for the same user's other programs. */
export async function publishAddress(directory: string, uri: string): Promise<void> {
  await writeFile(fileOf(directory), uri, { mode: 0o600 });
}

export async function withdrawAddress(directory: string): Promise<void> {
  await rm(fileOf(directory), { force: true });
}

/** The `mongodb://` address of the engine that has `directory` open; undefined if none answers. */
export async function findRunningEngine(directory: string): Promise<string | undefined> {
  const uri = await readFile(fileOf(directory), 'utf8').catch(() => undefined);
  return uri !== undefined && (await answers(uri)) ? uri : undefined;
}

const socketPathOf = (uri: string): string => decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(uri)?.[1] ?? '');

/** Removes the socket folder after a process was killed together with its engine. For `directory`'s owner. */
export async function removeSocketFolderLeft(directory: string): Promise<void> {
  const uri = await readFile(fileOf(directory), 'utf8').catch(() => '');
  const folder = dirname(socketPathOf(uri));
  const isOurs = dirname(folder) === tmpdir() && basename(folder).startsWith(socketFolderPrefix);
  if (isOurs && !(await answers(uri))) await rm(folder, { recursive: true, force: true });
}

/** A killed process leaves its address behind, so the socket is tried. Its path is the address's encoded host part. */
function answers(uri: string): Promise<boolean> {
  const socketPath = socketPathOf(uri);
  return new Promise((resolve) => {
    const socket = connect(socketPath, () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.end());
  });
}
