import { readFileSync } from 'node:fs';
import { type CodedFile, codedFile } from './coded-file.js';

/** The module for games, in the image at the same place. */
const path = new URL('../../../../docs/games/rolelink.luau', import.meta.url);

let read: CodedFile | undefined;

/** The module for Roblox games as served (GAME-2), read once. */
export function gameModule(): CodedFile {
  read ??= codedFile(readFileSync(path, 'utf8'), 'text/plain; charset=utf-8');
  return read;
}
