import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { GrantableRole } from '../actors/team-roles.js';

/** A person to whom a guild has given a team role, in addition to what Discord says about them. */
export interface Teammate {
  guildId: string;
  chatUserId: string;
  /** Their name on Discord when they were invited, and then at their first visit. */
  username: string;
  role: GrantableRole;
  /** `invited` until the person's first visit. */
  state: 'invited' | 'active';
  /** The chatUserId or tokenId of the inviter. */
  invitedBy: string;
  invitedAt: Date;
}

const schema = new Schema<Teammate>(
  {
    guildId: { type: String, required: true },
    chatUserId: { type: String, required: true },
    username: { type: String, required: true },
    role: { type: String, required: true },
    state: { type: String, required: true },
    invitedBy: { type: String, required: true },
    invitedAt: { type: Date, required: true },
  },
  { collection: 'teammates', versionKey: false },
);
// One row a person and guild: the role of a caller in the guild of the path, and GET …/team in the order of ids.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true });
// The guilds and invitations of a person: GET /api/guilds, GET /api/auth/me.
schema.index({ chatUserId: 1 });
// The people whom an erased person invited.
schema.index({ invitedBy: 1 });

export const Teammates = new GuildModel<Teammate>('Teammate', schema);
