import { model, Schema } from 'mongoose';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import type { PlanName } from '../plans/plans.js';

/** One Discord server that the bot is or was in. `_id` is its Discord id. */
export interface Guild extends WithOutbox {
  _id: string;
  name: string;
  /** The name in lower case, for the search of GET /api/admin/guilds. */
  searchName?: string;
  iconUrl: string | null;
  ownerId: string;
  memberCount: number;
  plan: PlanName;
  state: 'active' | 'suspended';
  suspension?: { reason: string; at: Date; by: string };
  /** When the guild became active again after a suspension; absent once it has caught up. */
  catchUpSince?: Date;
  /** Whether the bot is in it now. A guild that removed the bot keeps its data and is not shown. */
  present: boolean;
  joinedAt: Date;
}

const schema = new Schema<Guild>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    searchName: String,
    iconUrl: { type: String, default: null },
    ownerId: { type: String, required: true },
    memberCount: { type: Number, required: true },
    plan: { type: String, required: true },
    state: { type: String, required: true, default: 'active' },
    suspension: { type: { reason: String, at: Date, by: String }, _id: false },
    catchUpSince: Date,
    present: { type: Boolean, required: true },
    joinedAt: { type: Date, required: true },
  },
  { collection: 'guilds', versionKey: false },
);
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
schema.index({ catchUpSince: 1 }, { partialFilterExpression: { catchUpSince: { $exists: true } } });

giveOutbox(schema);

export const GuildRecord = model<Guild>('Guild', schema);
