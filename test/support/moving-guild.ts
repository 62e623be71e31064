import { PermissionFlagsBits } from 'discord.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from './build.js';
import { factsWhere } from './events.js';
import { world } from './world.js';

/** A server that another bot serves until now. */
export interface MovingGuild extends TestGuild {
  owner: { chatUserId: string; username: string };
  /** The other bot's people: each has their rank's role, but for the first three, who have another. */
  members: TestPerson[];
  /** Each rank's role, lowest first. */
  roleIds: string[];
  /** The people list and the rules, as other bots export them. */
  people: string;
  rules: string;
}

/** The first members, on whom the other bot and Rolelink differ. */
export const differing = 3;

/** A server with Bloxlink, a role and a rule for each rank, and members with accounts that only Bloxlink knows. */
export async function buildMovingGuild({ people, ranks }: { people: number; ranks: number }): Promise<MovingGuild> {
  const { discord, roblox } = await world();
  const guild = await buildGuild({ name: 'Moving Crew' });
  const owner = { chatUserId: guild.ownerId, username: discord.user(guild.ownerId).username };
  const bot = { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true };
  discord.addRole(guild.guildId, bot);
  const all = Array.from({ length: ranks }, (_, index) => index + 1);
  const { id: groupId } = roblox.addGroup({
    name: `Moving Crew ${guild.guildId}`,
    roles: [{ name: 'Guest', rank: 0 }, ...all.map((rank) => ({ name: `Rank ${rank}`, rank }))],
  });
  const roleIds = all.map((rank) => discord.addRole(guild.guildId, { name: `Rank ${rank}` }).id);
  const members: TestPerson[] = [];
  for (let index = 0; index < people; index += 1) {
    const person = await buildPerson();
    const at = index % ranks;
    roblox.setRank(groupId, person.gameUserId, at + 1);
    const held = roleIds[index < differing ? at + 1 : at] ?? '';
    await buildMember(guild, { person, linked: false, roleIds: [held] });
    discord.setNickname(guild.guildId, person.chatUserId, person.gameUsername);
    members.push(person);
  }
  const last = roleIds.at(-1) ?? '';
  await factsWhere(guild.guildId, ({ roles }) => roles.has(last), 'the roles');
  return {
    ...{ ...guild, owner, members, roleIds },
    people: members.map(({ chatUserId, gameUserId }) => `${chatUserId},${gameUserId}`).join('\n'),
    rules: [
      'condition,group,min,max,roles',
      ...all.map((rank) => `group_rank,${groupId},${rank},${rank},${roleIds[rank - 1]}`),
    ].join('\n'),
  };
}
