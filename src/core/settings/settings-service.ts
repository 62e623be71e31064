import { type PipelineStage, trusted } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { Signal } from '../../lib/signal.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, push, type WithOutbox } from '../../platforms/events/outbox.js';
import type { Actor } from '../actors/actor.js';
import type { NewEntry } from '../audit/audit-service.js';
import { type GuildSettings, withDefaults } from './guild-settings.js';
import { groupIdsOfTemplate } from './nickname-template.js';
import { groupIdsOfRestrictions } from './restrictions.js';

/** A guild's settings after `version` changes; version 0 means never changed. */
export interface VersionedSettings {
  settings: GuildSettings;
  version: number;
  /** The Discord rank of the restrictions' author (RESTR-17): their highest role; null means above every role. */
  restrictionsCeiling: string | null;
}

/** A begun multi-write change to a guild's groups, mappings and settings. */
export interface WholeChange {
  kind: 'config' | 'import' | 'setup';
  by: Actor;
  /** The requested result, as JSON. */
  wish: string;
  begunAt: Date;
}

/** Roblox's last refusal of a message to an experience that the settings name. */
const pushRefusal = z.strictObject({
  status: z.number(),
  since: z.date(),
});
export type PushRefusal = z.output<typeof pushRefusal>;

const storedSettingsFields = z.strictObject({
  guildId: z.string(),
  settings: z.custom<Partial<GuildSettings>>(),
  version: z.number(),
  restrictionsCeiling: z.string().nullable().exactOptional(),
  /** The change in progress. It is stored here because every sync reads the settings. */
  changing: z.custom<WholeChange>().exactOptional(),
  /** By universe id. It stands here because the guild's health reads the settings anyway. */
  pushRefusals: z.custom<Record<string, PushRefusal>>().exactOptional(),
});
interface StoredSettings extends z.output<typeof storedSettingsFields>, WithOutbox {}

const schema = schemaOf<StoredSettings>('settings', storedSettingsFields);
// A guild's settings: each sync and each request by a Discord admin.
schema.index({ guildId: 1 }, { unique: true });
// The changes left by killed processes: findBegunChanges.
schema.index({ 'changing.begunAt': 1 }, { partialFilterExpression: { 'changing.begunAt': { $exists: true } } });

// The guilds that name experiences: readUniverses.
schema.index(
  { 'settings.universeIds.0': 1 },
  { partialFilterExpression: { 'settings.universeIds.0': { $exists: true } } },
);

giveOutbox(schema);

const StoredSettingsModel = new GuildModel<StoredSettings>('Settings', schema);

/** A guild's settings, with defaults for values never set. */
export async function readSettings(guildId: string): Promise<GuildSettings> {
  return (await readVersionedSettings(guildId)).settings;
}

const storedSettings = new SingleFlight(async (guildId) => {
  const [stored = null] = await readDirectly<StoredSettings>(
    StoredSettingsModel.acrossGuilds,
    { guildId },
    { limit: -1, hint: { guildId: 1 } },
  );
  return stored;
});

/** `inChange`: a multi-write change to the settings, groups or mappings is in progress, `changingSince` then. */
export type ReadSettings = VersionedSettings & {
  inChange?: true;
  changingSince?: Date;
  pushRefusals?: Readonly<Record<string, PushRefusal>>;
};

export async function readVersionedSettings(guildId: string): Promise<ReadSettings> {
  return settingsOf(await storedSettings.get(guildId));
}

/** The stage that adds to other rows a guild's settings row; `settingsOf` takes it. */
export const withSettingsRow = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: { coll: StoredSettingsModel.acrossGuilds.collection.name, pipeline: [{ $match: { guildId } }] },
});

/** Settings with defaults, from the row as it is stored. */
export function settingsOf(stored: Omit<StoredSettings, 'guildId'> | null): ReadSettings {
  const settings = withDefaults(stored?.settings ?? {}, config().defaultReveal);
  const { version = 0, restrictionsCeiling = null, pushRefusals } = stored ?? {};
  const refused = pushRefusals && { pushRefusals };
  return { settings, version, restrictionsCeiling, ...inChangeOf(stored?.changing), ...refused };
}

const inChangeOf = (changing: WholeChange | undefined) =>
  changing && { inChange: true as const, changingSince: changing.begunAt };

export async function beginChange(guildId: string, changing: WholeChange): Promise<void> {
  await StoredSettingsModel.upsert({ guildId }, { $set: { changing }, $setOnInsert: { settings: {}, version: 0 } });
}

export async function endChange(guildId: string): Promise<void> {
  await StoredSettingsModel.update({ guildId }, { $unset: { changing: 1 } });
}

/** A guild's begun but unfinished rule change; null if there is none. */
export async function readBegunChange(guildId: string): Promise<WholeChange | null> {
  return (await StoredSettingsModel.findOne({ guildId }))?.changing ?? null;
}

/** The guilds with a change in progress, or left over from a killed process. */
export async function findBegunChanges(): Promise<string[]> {
  const begun = StoredSettingsModel.acrossGuilds.find(
    { 'changing.begunAt': trusted({ $exists: true }) },
    { guildId: 1 },
  );
  return (await begun.lean<Pick<StoredSettings, 'guildId'>[]>()).map(({ guildId }) => guildId);
}

const settingsWritten = new Signal<[guildId: string, settings: GuildSettings]>();

/** Calls `listener` after each change of a guild's settings by this process. */
export const onSettingsWritten = settingsWritten.on;

/** Replaces a guild's settings and logs it, if they are still at `version`. Returns whether they were. */
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
    settingsWritten.emit(guildId, settings);
    return true;
  } catch (error) {
    // The guild's settings have another version: the upsert matched none, and the unique index refuses a second
    // document.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** Replaces a guild's settings without a version check. */
export async function writeSettings(guildId: string, settings: GuildSettings): Promise<void> {
  await StoredSettingsModel.upsert({ guildId }, { $set: { settings }, $inc: { version: 1 } });
  settingsWritten.emit(guildId, settings);
}

/** A guild's experiences, and Roblox's refusals among them. */
export interface NamedUniverses {
  guildId: string;
  universeIds: readonly string[];
  refused: Readonly<Record<string, PushRefusal>>;
}

/** Every guild that names experiences. */
export async function readUniverses(): Promise<NamedUniverses[]> {
  const naming = { 'settings.universeIds.0': trusted({ $exists: true }) };
  const shown = { _id: 0, guildId: 1, 'settings.universeIds': 1, pushRefusals: 1 } as const;
  const found = StoredSettingsModel.acrossGuilds.find(naming, shown).hint({ 'settings.universeIds.0': 1 });
  return (await found.lean<StoredSettings[]>()).map(({ guildId, settings, pushRefusals = {} }) => {
    return { guildId, universeIds: settings.universeIds ?? [], refused: pushRefusals };
  });
}

/** Stores Roblox's refusals of messages to a guild's experiences: all that there are now. */
export async function keepPushRefusals(guildId: string, refused: Readonly<Record<string, PushRefusal>>): Promise<void> {
  const isLeft = Object.keys(refused).length > 0;
  await StoredSettingsModel.update(
    { guildId },
    isLeft ? { $set: { pushRefusals: { ...refused } } } : { $unset: { pushRefusals: 1 } },
  );
}

/** The groups used by nicknames and restrictions, for every guild that uses any in its settings. */
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

export function groupsNamedBy({ nickname, restrictions }: GuildSettings): string[] {
  const shown = nickname.enabled ? groupIdsOfTemplate(nickname.template) : [];
  return [...shown, ...groupIdsOfRestrictions(restrictions)];
}
