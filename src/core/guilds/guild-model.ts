import { model } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { hourMs } from '../../lib/time.js';
import { locale } from '../../lib/translate.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { planName } from '../plans/plans.js';

/** One Discord server that the bot is or was in. `_id` is its Discord id. */
export const guildFields = z.strictObject({
  _id: z.string(),
  name: z.string(),
  /** The name in lower case, for the search of GET /api/admin/guilds. */
  searchName: z.string().exactOptional(),
  iconUrl: z.string().nullable(),
  ownerId: z.string(),
  memberCount: z.int().describe('As Discord said last; up to a minute old.'),
  plan: planName,
  state: z.enum(['active', 'suspended']).default('active'),
  suspension: z
    .strictObject({ reason: z.string(), at: z.date(), by: z.string().describe('A platform admin’s Discord id') })
    .exactOptional(),
  /** Until when something may have been missed; absent once the guild has caught up. */
  catchUpSince: z.date().exactOptional(),
  /** When to begin, or try again, to catch up. */
  catchUpAt: z.date().exactOptional(),
  /** When the last whole resync began that was completed. */
  caughtUpAt: z.date().exactOptional(),
  /** The message of the bot's first coming that is still to be sent (DISC-20); absent once it is, or was given up. */
  welcome: z
    .strictObject({
      /** When to try next. */
      at: z.date(),
      locale,
      /** Discord's channel for such messages, if the guild has one. */
      channelId: z.string().nullable(),
    })
    .exactOptional(),
  /** A guild that it was removed from keeps its data and is not shown. */
  present: z.boolean().describe('Whether the bot is in it now.'),
  joinedAt: z.date().describe('When the bot first joined it.'),
  keptAt: z.date().exactOptional().describe('When Discord last said that the bot is in it.'),
});
/** A guild as it is read: with the plan that is in force, paid for or `DEFAULT_PLAN`. */
export interface Guild extends z.output<typeof guildFields>, WithOutbox {}

const schema = schemaOf<Guild>('guilds', guildFields);
// It is stored only while a subscription pays for it (PLAN-9).
schema.path('plan').required(false);
// The guilds that a person owns: GET /api/guilds.
schema.index({ ownerId: 1, present: 1 });
// The numbers of GET /api/admin/metrics, read from the index alone.
schema.index({ present: 1, state: 1, plan: 1 });
// GET /api/admin/guilds?q=, from the start of a name.
schema.index({ searchName: 1, _id: 1 });
// GET /api/admin/guilds by plan or state, some of which are rare.
schema.index({ plan: 1, _id: 1 });
schema.index({ state: 1, _id: 1 });
// The guilds that catch-up-guilds still has to do.
schema.index({ catchUpAt: 1 }, { partialFilterExpression: { catchUpAt: { $exists: true } } });

/** Gives guilds that have no plan of their own the default of now. */
export function withPlan<G extends Partial<Pick<Guild, 'plan'>>>(guild: G): G & Pick<Guild, 'plan'> {
  return Object.assign(guild, { plan: guild.plan ?? config().defaultPlan });
}
// Of every read but by cursor and aggregation, which Mongoose has no hook for.
schema.post(['findOne', 'findOneAndUpdate'], (found: Guild | null) => {
  if (found !== null) withPlan(found);
});
schema.post('find', (found: Guild[]) => found.forEach(withPlan));

// The guilds that are to be welcomed.
schema.index({ 'welcome.at': 1 }, { partialFilterExpression: { 'welcome.at': { $exists: true } } });

giveOutbox(schema);

export const GuildRecord = model<Guild>('Guild', schema);
declareDueTime({ model: GuildRecord, field: 'catchUpAt', hint: { catchUpAt: 1 }, longestMs: hourMs });
declareDueTime({ model: GuildRecord, field: 'welcome.at', hint: { 'welcome.at': 1 }, longestMs: hourMs });
