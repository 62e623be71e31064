import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { Remembered } from '../../platforms/database/remembered.js';
import type { ConfigMapping } from './config-document.js';

/** One setting that changed, by its path (`nickname.template`). */
interface ChangedSetting {
  path: string;
  from: unknown;
  to: unknown;
}

/** The additions and removals in one change to a guild's configuration. A changed mapping is in both. */
export interface ConfigDelta {
  groups: { came: string[]; went: string[] };
  mappings: { came: ConfigMapping[]; went: ConfigMapping[] };
  settings: ChangedSetting[];
}

/** Changes that can be taken back, for a day. */
const undos = new Remembered<ConfigDelta>('undo');

const keyOf = (guildId: string, id: string): string => `${guildId} ${id}`;

/** Keeps a change, and gives the id by which it can be taken back. */
export async function keepDelta(guildId: string, delta: ConfigDelta): Promise<string> {
  const id = newSecret();
  await undos.keep(keyOf(guildId, id), { guildId, until: new Date(clock.epochMs() + dayMs), value: delta });
  return id;
}

/** A change that can still be taken back; null when it was, or a day has passed. */
export async function findDelta(guildId: string, id: string): Promise<ConfigDelta | null> {
  return (await undos.find(keyOf(guildId, id)))?.value ?? null;
}

/** Forgets a change that was taken back. */
export async function dropDelta(guildId: string, id: string): Promise<void> {
  await undos.forget(keyOf(guildId, id));
}
