import { model } from 'mongoose';
import { z } from 'zod';
import { config } from '../../config/config.js';
import { locale } from '../../lib/translate.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { planName } from '../plans/plans.js';

/**
 * How long the log is kept, in days. It rises with the plan immediately and falls one week later, so a downgrade reversed
 * within that week destroys nothing.
 */
const logRetention = z
  .strictObject({
    days: z.number(),
    /** After a downgrade: the time from which the shorter retention applies. */
    shorterFrom: z.date().nullable(),
  })
  .exactOptional();

/** The panel that was posted last, on Discord or over the API. */
export const panelFields = z.strictObject({
  channelId: z.string(),
  messageId: z.string().describe('The message with the Verify button, on Discord.'),
  postedAt: z.date(),
});
const panel = panelFields.exactOptional();

/** The last logged state of the bot's rights over the roles that the guild's mappings name. */
const mappedRoles = z
  .strictObject({
    /** Whether the bot may manage roles; absent if it always could. If not, that is logged once instead of once per role. */
    mayManageRoles: z.boolean().exactOptional(),
    /** The mapped roles with their own obstacle; absent before the first. */
    obstacles: z.array(z.strictObject({ roleId: z.string(), obstacle: blockReason })).exactOptional(),
    /** The roles' key (`keyOfRoles`) when last logged and when waiting syncs were last released. */
    rolesKey: z.string().exactOptional(),
  })
  .exactOptional();

/** One Discord server that the bot is or was in. `_id` is its Discord id. */
export const guildFields = z.strictObject({
  _id: z.string(),
  name: z.string(),
  /** The lower-case name, for searches by GET /api/admin/guilds. */
  searchName: z.string().exactOptional(),
  iconUrl: z.string().nullable(),
  ownerId: z.string(),
  memberCount: z.int().describe('As Discord said last; up to a minute old.'),
  plan: planName,
  state: z.enum(['active', 'suspended']).default('active'),
  suspension: z
    .strictObject({ reason: z.string(), at: z.date(), by: z.string().describe("A platform admin's Discord id") })
    .exactOptional(),
  /** The time until which events may have been missed; absent once the guild has caught up. */
  catchUpSince: z.date().exactOptional(),
  catchUpAt: z.date().exactOptional(),
  /** When the last completed whole resync started. */
  caughtUpAt: z.date().exactOptional(),
  /** The unsent welcome message (DISC-20); absent once it was sent or given up. */
  welcome: z
    .strictObject({
      at: z.date(),
      locale,
      /** Discord's system channel, if the guild has one. */
      channelId: z.string().nullable(),
    })
    .exactOptional(),
  /** A guild without the bot keeps its data and is hidden. */
  present: z.boolean().describe('Whether the bot is in it now.'),
  joinedAt: z.date().describe('When the bot first joined it.'),
  keptAt: z.date().exactOptional().describe('When Discord last said that the bot is in it.'),
  logRetention,
  panel,
  mappedRoles,
});
/** A guild as read: with its plan in force, paid or `DEFAULT_PLAN`. */
export interface Guild extends z.output<typeof guildFields>, WithOutbox {}

const schema = schemaOf<Guild>('guilds', guildFields);
// The plan is stored only while a subscription pays for it (PLAN-9).
schema.path('plan').required(false);
// The guilds owned by a person: GET /api/guilds.
schema.index({ ownerId: 1, present: 1 });
// The counts for GET /api/admin/metrics, from the index alone.
schema.index({ present: 1, state: 1, plan: 1 });
// GET /api/admin/guilds?q=, by the start of the name.
schema.index({ searchName: 1, _id: 1 });
// GET /api/admin/guilds by plan or state; some are rare.
schema.index({ plan: 1, _id: 1 });
schema.index({ state: 1, _id: 1 });
// The guilds that catch-up-guilds still has to reconcile.
schema.index({ catchUpAt: 1 }, { partialFilterExpression: { catchUpAt: { $exists: true } } });

/** Sets the current default plan on guilds without their own plan. */
export function withPlan<G extends Partial<Pick<Guild, 'plan'>>>(guild: G): G & Pick<Guild, 'plan'> {
  return Object.assign(guild, { plan: guild.plan ?? config().defaultPlan });
}
// Covers all reads except cursors and aggregations, for which Mongoose has no hook.
schema.post(['findOne', 'findOneAndUpdate'], (found: Guild | null) => {
  if (found !== null) withPlan(found);
});
schema.post('find', (found: Guild[]) => found.forEach(withPlan));

// The guilds with an unsent welcome.
schema.index({ 'welcome.at': 1 }, { partialFilterExpression: { 'welcome.at': { $exists: true } } });

giveOutbox(schema);

export const GuildRecord = model<Guild>('Guild', schema);
