import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { grantableRole } from '../actors/team-roles.js';

/** A person with a team role given by a guild, in addition to their Discord permissions. */
export const teammateFields = z.strictObject({
  guildId: z.string(),
  chatUserId: z.string(),
  /** Their Discord name when invited, updated at their first visit. */
  username: z.string(),
  role: grantableRole,
  /** `invited` until the person's first visit. */
  state: z.enum(['invited', 'active']),
  /** The inviter's chatUserId or tokenId. */
  invitedBy: z.string(),
  invitedAt: z.date(),
});
export interface Teammate extends z.output<typeof teammateFields>, WithOutbox {}

const schema = schemaOf<Teammate>('teammates', teammateFields);
// One row per person and guild: a caller's role in the path's guild, and GET …/team in id order.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true });
// A person's guilds and invitations: GET /api/guilds, GET /api/auth/me.
schema.index({ chatUserId: 1 });
// The people invited by an erased person.
schema.index({ invitedBy: 1 });

giveOutbox(schema);

export const Teammates = new GuildModel<Teammate>('Teammate', schema);
