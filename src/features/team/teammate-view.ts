import { z } from 'zod';
import type { Teammate } from '../../core/access/teammate-model.js';
import { grantableRole, highestRole, type TeamRole, teamRole } from '../../core/actors/team-roles.js';
import { timestamp } from '../../lib/fields.js';

/** A person in a guild's team, with the higher role: the given one or the one by Discord. */
export interface ListedTeammate {
  chatUserId: string;
  username: string | null;
  role: TeamRole;
  source: TeammateSource;
  /** The stored teammate; undefined for a person with a role by Discord alone. */
  given?: Teammate;
}

const teammateSource = z.enum(['invitation', 'discord_permission', 'discord_owner']);
type TeammateSource = z.output<typeof teammateSource>;

/** A stored teammate. Their role by Discord's permissions may be higher. */
export function withDiscord(given: Teammate, fromDiscord: 'admin' | null): ListedTeammate {
  const { chatUserId, username, role } = given;
  const higher = highestRole([role, fromDiscord]) ?? role;
  return { chatUserId, username, role: higher, source: higher === role ? 'invitation' : 'discord_permission', given };
}

/** A teammate in answers (AUTH-45). */
export const teammateView = z
  .strictObject({
    memberId: z.string(),
    username: z.string().nullable().describe('As it was when they were invited or first came.'),
    role: teamRole.describe('Their current roles.'),
    source: teammateSource.describe(
      'Where `role` comes from: an invitation, the permission to manage the server on Discord, or owning it there.',
    ),
    givenRole: grantableRole
      .nullable()
      .describe('The role of their invitation; null for people who count by Discord alone.'),
    state: z.enum(['invited', 'active']).describe('`invited` until their first visit.'),
    invitedBy: z.string().nullable(),
    invitedAt: timestamp.nullable(),
  })
  .meta({ id: 'Teammate' });

/** A new teammate, and whether the bot could send them a message. */
export const invitationView = teammateView
  .extend({
    notified: z
      .boolean()
      .describe(
        'Whether a direct message is known to have reached them. Only members of the server get one, and one a day at most.',
      ),
  })
  .meta({ id: 'Invitation' });

export function viewTeammate({ chatUserId, username, role, source, given }: ListedTeammate) {
  return {
    memberId: chatUserId,
    username,
    role,
    source,
    givenRole: given?.role ?? null,
    state: given?.state ?? 'active',
    invitedBy: given?.invitedBy ?? null,
    invitedAt: given?.invitedAt.toISOString() ?? null,
  } satisfies z.input<typeof teammateView>;
}
