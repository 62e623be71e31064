import { trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { SharedReads } from '../../lib/shared-reads.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, push, type WithOutbox } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import type { NewEntry } from '../audit/audit-service.js';
import { type GuildSettings, withDefaults } from './guild-settings.js';
import { groupIdsOfTemplate } from './nickname-template.js';
import { groupIdsOfRestrictions } from './restrictions.js';

/** The settings of a guild after their `version`-th change; version 0 means never changed. */
export interface VersionedSettings {
  settings: GuildSettings;
  version: number;
  /** The place on Discord of who wrote the restrictions (RESTR-17): their highest role; null stands above everybody. */
  restrictionsCeiling: string | null;
}

/** A change of a guild's groups, mappings and settings that takes several writes, and has begun. */
export interface WholeChange {
  kind: 'config' | 'import' | 'setup';
  by: Actor;
  /** What is wished, in JSON. */
  wish: string;
  begunAt: Date;
}

const storedSettingsFields = z.strictObject({
  guildId: z.string(),
  settings: z.custom<Partial<GuildSettings>>(),
  version: z.number(),
  restrictionsCeiling: z.string().nullable().exactOptional(),
  /** The change that is being made: here, since every sync reads the settings. */
  changing: z.custom<WholeChange>().exactOptional(),
});
interface StoredSettings extends z.output<typeof storedSettingsFields>, WithOutbox {}

const schema = schemaOf<StoredSettings>('settings', storedSettingsFields);
// The settings of a guild: every sync and every request of a Discord admin.
schema.index({ guildId: 1 }, { unique: true });
// The changes that killed processes have left: findBegunChanges.
schema.index({ 'changing.begunAt': 1 }, { partialFilterExpression: { 'changing.begunAt': { $exists: true } } });

giveOutbox(schema);

const StoredSettingsModel = new GuildModel<StoredSettings>('Settings', schema);

/** The settings of a guild, with defaults for what it never set. */
export async function readSettings(guildId: string): Promise<GuildSettings> {
  return (await readVersionedSettings(guildId)).settings;
}

const storedSettings = new SharedReads((guildId) => StoredSettingsModel.findOne({ guildId }));

/** `inChange`: they, or the groups and mappings beside them, are being changed by several writes. */
export async function readVersionedSettings(guildId: string): Promise<VersionedSettings & { inChange?: true }> {
  const stored = await storedSettings.get(guildId);
  const settings = withDefaults(stored?.settings ?? {}, config().defaultReveal);
  const { version = 0, restrictionsCeiling = null } = stored ?? {};
  return { settings, version, restrictionsCeiling, ...(stored?.changing !== undefined && { inChange: true }) };
}

/** Stores that a guild's rules are being changed. */
export async function beginChange(guildId: string, changing: WholeChange): Promise<void> {
  await StoredSettingsModel.upsert({ guildId }, { $set: { changing }, $setOnInsert: { settings: {}, version: 0 } });
}

/** The rules of the guild are whole again. */
export async function endChange(guildId: string): Promise<void> {
  await StoredSettingsModel.update({ guildId }, { $unset: { changing: 1 } });
}

/** The change of a guild's rules that has begun and not ended; null when there is none. */
export async function readBegunChange(guildId: string): Promise<WholeChange | null> {
  return (await StoredSettingsModel.findOne({ guildId }))?.changing ?? null;
}

/** The guilds whose rules are being changed, or were when a process was killed. */
export async function findBegunChanges(): Promise<string[]> {
  const begun = StoredSettingsModel.acrossGuilds.find(
    { 'changing.begunAt': trusted({ $exists: true }) },
    { guildId: 1 },
  );
  return (await begun.lean<Pick<StoredSettings, 'guildId'>[]>()).map(({ guildId }) => guildId);
}

/** Replaces a guild's settings if they are still those of `version`, with the log entry. Returns whether they were. */
export async function replaceSettings(
  guildId: string,
  { settings, version, restrictionsCeiling }: VersionedSettings,
  entry: NewEntry,
): Promise<boolean> {
  try {
    await StoredSettingsModel.upsert(
      { guildId, version },
      { $set: { settings, restrictionsCeiling }, $inc: { version: 1 }, ...push(entry) },
    );
    return true;
  } catch (error) {
    // The guild has settings of another version: the upsert matched none, and the unique index refuses a second
    // document.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Replaces a guild's settings, whatever they are now. */
export async function writeSettings(guildId: string, settings: GuildSettings): Promise<void> {
  await StoredSettingsModel.upsert({ guildId }, { $set: { settings }, $inc: { version: 1 } });
}

/** The groups that nicknames show and restrictions name, in every guild whose settings name any. */
export async function groupsOfSettings(): Promise<{ guildId: string; groupIds: string[] }[]> {
  const found = StoredSettingsModel.acrossGuilds.find({
    $or: [
      { 'settings.nickname.template': /\{group/ },
      { 'settings.restrictions.requiredGroupIds.0': trusted({ $exists: true }) },
      { 'settings.restrictions.deniedGroupIds.0': trusted({ $exists: true }) },
    ],
  });
  return (await found.lean<StoredSettings[]>()).flatMap(({ guildId, settings }) => {
    return { guildId, groupIds: groupsNamedBy(withDefaults(settings, config().defaultReveal)) };
  });
}

/** The groups that nicknames and restrictions go by. Pure. */
export function groupsNamedBy({ nickname, restrictions }: GuildSettings): string[] {
  const shown = nickname.enabled ? groupIdsOfTemplate(nickname.template) : [];
  return [...shown, ...groupIdsOfRestrictions(restrictions)];
}
