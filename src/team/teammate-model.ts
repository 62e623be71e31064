import { Schema } from 'mongoose';
import type { TeamRole } from '../auth/team-roles.js';
import { GuildModel } from '../database/guild-model.js';

/** A person whom a guild has given a team role, beyond what Discord says of them. */
export interface Teammate {
  guildId: string;
  chatUserId: string;
  role: TeamRole;
  /** `invited` until the person's first visit. */
  state: 'invited' | 'active';
  invitedBy: string;
  invitedAt: Date;
}

const schema = new Schema<Teammate>(
  {
    guildId: { type: String, required: true },
    chatUserId: { type: String, required: true },
    role: { type: String, required: true },
    state: { type: String, required: true },
    invitedBy: { type: String, required: true },
    invitedAt: { type: Date, required: true },
  },
  { collection: 'teammates', versionKey: false },
);
// One row a person and guild; the role of a caller in the guild of the path.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true });
// The guilds and invitations of a person: GET /api/guilds, GET /api/auth/me.
schema.index({ chatUserId: 1 });

export const Teammates = new GuildModel<Teammate>('Teammate', schema);
