import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { Condition } from './condition.js';

/** Whoever meets the condition gets the roles; whoever does not loses them, if `removeWhenUnmatched` (SPEC §4, §6.1). */
export interface Mapping {
  /** `map_` + 24 hex digits, which sort by age to the second. */
  _id: string;
  guildId: string;
  name: string | null;
  condition: Condition;
  /** Discord roles, 1 to 10. */
  roleIds: string[];
  removeWhenUnmatched: boolean;
  enabled: boolean;
  createdAt: Date;
  updatedAt: Date;
}

const schema = new Schema<Mapping>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    name: { type: String, default: null },
    condition: { type: Schema.Types.Mixed, required: true },
    roleIds: { type: [String], required: true },
    removeWhenUnmatched: { type: Boolean, required: true },
    enabled: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'mappings', versionKey: false },
);
// The mappings of a guild: every sync, and GET …/mappings in the order of their age.
schema.index({ guildId: 1, _id: 1 });

export const Mappings = new GuildModel<Mapping>('Mapping', schema);
