import { buildGuild, buildMember, buildPerson } from '../support/build.js';
import { world } from '../support/world.js';

let serial = 0;

/** A server without anything, a Roblox group with three ranks, and one verified person with the highest. */
export async function buildNewServer() {
  const { discord, roblox } = await world();
  serial += 1;
  const guild = await buildGuild({ name: 'Harbour' });
  const owner = { chatUserId: guild.ownerId, username: discord.user(guild.ownerId).username };
  const groupName = `Harbour Watch ${serial}`;
  const roles = Object.entries({ Guest: 0, Sailor: 1, Mate: 100, Captain: 255 }).map(([name, rank]) => ({
    name,
    rank,
  }));
  const { id: groupId } = roblox.addGroup({ name: groupName, roles });
  discord.addRole(guild.guildId, { name: 'mate' });
  const person = await buildPerson();
  roblox.setRank(groupId, person.gameUserId, 255);
  await buildMember(guild, { person });
  return { ...guild, owner, groupName, groupId, person };
}

export type NewServer = Awaited<ReturnType<typeof buildNewServer>>;
