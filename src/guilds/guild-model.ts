import { model, Schema } from 'mongoose';
import type { PlanName } from '../billing/plans.js';

/** One Discord server that the bot is or was in. `_id` is its Discord id. */
export interface Guild {
  _id: string;
  name: string;
  iconUrl: string | null;
  ownerId: string;
  memberCount: number;
  plan: PlanName;
  state: 'active' | 'suspended';
  suspension?: { reason: string; at: Date; by: string };
  /** Whether the bot is in it now. A guild that it was removed from keeps its data and is not shown. */
  present: boolean;
  joinedAt: Date;
}

const schema = new Schema<Guild>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    iconUrl: { type: String, default: null },
    ownerId: { type: String, required: true },
    memberCount: { type: Number, required: true },
    plan: { type: String, required: true },
    state: { type: String, required: true, default: 'active' },
    suspension: { type: { reason: String, at: Date, by: String }, _id: false },
    present: { type: Boolean, required: true },
    joinedAt: { type: Date, required: true },
  },
  { collection: 'guilds', versionKey: false },
);
// The guilds that a person owns: GET /api/guilds.
schema.index({ ownerId: 1, present: 1 });

export const GuildRecord = model<Guild>('Guild', schema);
