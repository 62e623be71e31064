import { z } from 'zod';
import { NotFound } from '../../lib/errors.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** A text that somebody gave to be imported and has not confirmed yet: it outlives a restart (SPEC §8). */
const importDraftFields = z.strictObject({
  guildId: z.string(),
  format: z.enum(['csv', 'bloxlink', 'rover', 'rowifi']),
  text: z.string(),
});
export type ImportDraft = z.output<typeof importDraftFields>;
export const importFormats = importDraftFields.shape.format;

const schema = schemaOf<ImportDraft>('importDrafts', importDraftFields);
// The text that waits in a guild: its confirmation.
schema.index({ guildId: 1 }, { unique: true });

const ImportDrafts = new GuildModel<ImportDraft>('ImportDraft', schema);

/** Keeps a text for its confirmation, in place of one that waits. */
export async function keepImportDraft({ guildId, format, text }: ImportDraft): Promise<void> {
  await ImportDrafts.upsert({ guildId }, { $set: { format, text } });
}

/** The text that waits in a guild. Throws NotFound `nothing_to_answer` when there is none any more. */
export async function readImportDraft(guildId: string): Promise<ImportDraft> {
  const draft = await ImportDrafts.findOne({ guildId });
  if (draft === null) throw new NotFound('nothing_to_answer', 'This was imported already.');
  return draft;
}

/** Forgets the text that waits in a guild. */
export async function dropImportDraft(guildId: string): Promise<void> {
  await ImportDrafts.acrossGuilds.deleteOne({ guildId });
}
