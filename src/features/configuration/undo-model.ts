import { trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { newSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import type { ConfigMapping } from './config-document.js';

/** One setting that changed, by its path (`nickname.template`). */
interface ChangedSetting {
  path: string;
  from: unknown;
  to: unknown;
}

/** The additions and removals of one change to a guild's configuration. A changed mapping is in both. */
export interface ConfigDelta {
  groups: { came: string[]; went: string[] };
  mappings: { came: ConfigMapping[]; went: ConfigMapping[] };
  settings: ChangedSetting[];
}

/** A change that can be taken back, for a day. */
const undoFields = z.strictObject({
  _id: z.string(),
  guildId: z.string(),
  at: z.date(),
  delta: z.custom<ConfigDelta>(),
});
type StoredUndo = z.output<typeof undoFields>;

const schema = schemaOf<StoredUndo>('undos', undoFields);
// purgeUndos.
schema.index({ at: 1 });

const Undos = new GuildModel<StoredUndo>('Undo', schema);

const isOver = (now: Date): Date => new Date(now.getTime() - dayMs);

/** Keeps a change, and gives the id by which it can be taken back. */
export async function keepDelta(guildId: string, delta: ConfigDelta): Promise<string> {
  const _id = newSecret();
  await Undos.insert({ _id, guildId, at: clock.now(), delta });
  return _id;
}

/** A change that can still be taken back; null when it was, or a day has passed. */
export async function findDelta(guildId: string, _id: string): Promise<ConfigDelta | null> {
  const stored = await Undos.findOne({ _id, guildId, at: trusted({ $gt: isOver(clock.now()) }) });
  return stored?.delta ?? null;
}

/** Forgets a change that was taken back. */
export async function dropDelta(guildId: string, _id: string): Promise<void> {
  await Undos.acrossGuilds.deleteOne({ _id, guildId });
}

export async function purgeUndos(now: Date): Promise<void> {
  await Undos.acrossGuilds.deleteMany({ at: trusted({ $lte: isOver(now) }) });
}
