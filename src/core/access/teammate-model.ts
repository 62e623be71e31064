import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { grantableRole } from '../actors/team-roles.js';

/** A person whom a guild has given a team role, beyond what Discord says of them. */
export const teammateFields = z.strictObject({
  guildId: z.string(),
  chatUserId: z.string(),
  /** Their name on Discord when they were invited, and then at their first visit. */
  username: z.string(),
  role: grantableRole,
  /** `invited` until the person's first visit. */
  state: z.enum(['invited', 'active']),
  /** The chatUserId or tokenId of the inviter. */
  invitedBy: z.string(),
  invitedAt: z.date(),
});
export interface Teammate extends z.output<typeof teammateFields>, WithOutbox {}

const schema = schemaOf<Teammate>('teammates', teammateFields);
// One row a person and guild: the role of a caller in the guild of the path, and GET …/team in the order of ids.
schema.index({ guildId: 1, chatUserId: 1 }, { unique: true });
// The guilds and invitations of a person: GET /api/guilds, GET /api/auth/me.
schema.index({ chatUserId: 1 });
// The people whom an erased person invited.
schema.index({ invitedBy: 1 });

giveOutbox(schema);

export const Teammates = new GuildModel<Teammate>('Teammate', schema);
