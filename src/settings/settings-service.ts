import { Schema } from 'mongoose';
import { GuildModel } from '../database/guild-model.js';
import { defaultSettings, type GuildSettings, guildSettings } from './guild-settings.js';

interface StoredSettings {
  guildId: string;
  settings: Partial<GuildSettings>;
}

const schema = new Schema<StoredSettings>(
  { guildId: { type: String, required: true }, settings: { type: Schema.Types.Mixed, required: true } },
  { collection: 'settings', versionKey: false },
);
// The settings of a guild: every sync and every request of a Discord admin.
schema.index({ guildId: 1 }, { unique: true });

const StoredSettingsModel = new GuildModel<StoredSettings>('Settings', schema);

/** The settings of a guild; what it never set has its default. */
export async function readSettings(guildId: string): Promise<GuildSettings> {
  const stored = await StoredSettingsModel.findOne({ guildId });
  return stored === null ? defaultSettings : guildSettings.parse(stored.settings);
}

/** Replaces the whole settings document of a guild. */
export async function writeSettings(guildId: string, settings: GuildSettings): Promise<void> {
  await StoredSettingsModel.upsert({ guildId }, { $set: { settings } });
}
