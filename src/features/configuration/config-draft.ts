import { createHash } from 'node:crypto';
import { z } from 'zod';
import { NotFound } from '../../lib/errors.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { type GuildConfig, guildConfig } from './config-document.js';

/** A configuration that somebody gave and has not confirmed yet: it outlives a restart (SPEC §8). */
const configDraftFields = z.strictObject({
  guildId: z.string(),
  /** Stands for exactly this document, held against exactly this configuration. */
  key: z.string(),
  /** The tag of the configuration that it was held against. */
  tag: z.string(),
  /** The document in JSON. */
  text: z.string(),
});
type ConfigDraft = z.output<typeof configDraftFields>;

const schema = schemaOf<ConfigDraft>('config_drafts', configDraftFields);
// The document that waits in a guild: its confirmation.
schema.index({ guildId: 1 }, { unique: true });

const ConfigDrafts = new GuildModel<ConfigDraft>('ConfigDraft', schema);

/** Keeps a document for its confirmation, in place of one that waits, and gives its key. */
export async function keepConfigDraft(guildId: string, wish: GuildConfig, tag: string): Promise<string> {
  const text = JSON.stringify(wish);
  const key = createHash('sha256').update(tag).update(text).digest('base64url');
  await ConfigDrafts.upsert({ guildId }, { $set: { key, tag, text } });
  return key;
}

/** The document of that key. Throws NotFound `nothing_to_answer` when it was applied, or another took its place. */
export async function readConfigDraft(guildId: string, key: string): Promise<{ wish: GuildConfig; tag: string }> {
  const draft = await ConfigDrafts.findOne({ guildId, key });
  if (draft === null)
    throw new NotFound('nothing_to_answer', 'This was applied already, or another file took its place.');
  return { wish: guildConfig.parse(JSON.parse(draft.text)), tag: draft.tag };
}

/** Forgets the document that waits in a guild. */
export async function dropConfigDraft(guildId: string): Promise<void> {
  await ConfigDrafts.acrossGuilds.deleteOne({ guildId });
}
