import type { TeamRole } from '../auth/team-roles.js';
import { type Teammate, Teammates } from './teammate-model.js';

/** The team role that a guild has given a person, or null. An invited person becomes active by their first visit. */
export async function teamRoleOf(guildId: string, chatUserId: string): Promise<TeamRole | null> {
  const teammate = await Teammates.findOne({ guildId, chatUserId });
  if (teammate?.state === 'invited') {
    await Teammates.update({ guildId, chatUserId, state: 'invited' }, { $set: { state: 'active' } });
  }
  return teammate?.role ?? null;
}

/** Every guild that has given the person a team role, invitations included. */
export function teamsOf(chatUserId: string): Promise<Teammate[]> {
  return Teammates.acrossGuilds.find({ chatUserId }).lean<Teammate[]>().exec();
}
