import { findMember } from '../../../src/features/members/member-service.js';
import { type GroupGuild, mapTo, rolesOf } from '../../features/sync/sync-setup.js';
import { buildPerson, eventually, linkPerson } from '../../support/build.js';
import { world } from '../../support/world.js';

/** How many roles a verified person has after a sync before they have accepted the server's rules. */
export async function rolesWhilePending(guild: GroupGuild): Promise<number | undefined> {
  await mapTo(guild, { type: 'verified' });
  const person = await buildPerson();
  await linkPerson(null, person);
  (await world()).discord.join(guild.guildId, person.chatUserId, { pending: true });
  await eventually(async () => (await findMember(guild.guildId, person.chatUserId))?.syncs.length, 'the sync');
  return (await rolesOf(guild, person))?.length;
}
