import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** The panel that was posted last in a guild, on Discord or over the API. */
export const panelFields = z.strictObject({
  guildId: z.string(),
  channelId: z.string(),
  messageId: z.string().describe('The message with the Verify button, on Discord.'),
  postedAt: z.date(),
});
export interface Panel extends z.output<typeof panelFields>, WithOutbox {}

const schema = schemaOf<Panel>('panels', panelFields);
// The panel of a guild: one more that is posted takes its place.
schema.index({ guildId: 1 }, { unique: true });

giveOutbox(schema);

export const Panels = new GuildModel<Panel>('Panel', schema);
