import { LinkedGroups } from '../../src/core/groups/group-model.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { type BenchRequest, benchGroup, benchMapping } from './reads-guild.js';

/** Mappings that nobody meets, as in a large community. */
const furtherMappings = 98;
/** More than at once, so that no sync waits for another for the same person. */
const peopleEach = 12;
const atOnce = 4;

interface Person {
  chatUserId: string;
  gameUserId: string;
}

/**
 * Requests for single syncs, in a guild with a group, 100 mappings and people who are in step. Service and reference
 * have their own people, so that neither changes the other's.
 */
export async function fillSyncs(discord: DiscordSandbox, roblox: RobloxSandbox): Promise<Record<string, BenchRequest>> {
  const { id: ownerId } = discord.addUser({ username: 'syncs.owner' });
  const { id: guildId } = discord.addGuild({ name: 'Syncs', ownerId });
  const addRole = (name: string) => discord.addRole(guildId, { name }).id;
  const [memberRole, officerRole, otherRole] = [addRole('Member'), addRole('Officer'), addRole('Other')];
  discord.moveRole(guildId, discord.botRole(guildId).id, 9);
  const { id: groupId } = roblox.addGroup({ name: 'Syncs' });
  await LinkedGroups.acrossGuilds.insertMany([{ ...benchGroup(guildId, 0), groupId }]);
  const mapping = (n: number, roleId: string, min: number) => ({
    ...benchMapping(guildId, n, roleId),
    condition: { type: 'group_rank' as const, groupId, min, max: 255 },
  });
  const further = Array.from({ length: furtherMappings }, (_, n) => mapping(n + 2, otherRole, 255));
  await Mappings.acrossGuilds.insertMany([mapping(0, memberRole, 1), mapping(1, officerRole, 100), ...further]);
  await writeSettings(guildId, {
    ...defaultSettings,
    nickname: { ...defaultSettings.nickname, enabled: false },
    massRemoval: { sharePercent: 100, people: 1_000_000 },
  });

  const addPeople = async (name: string, rank: number): Promise<Person[]> => {
    const people = Array.from({ length: peopleEach }, (_, n) => {
      const username = `${name}${n}`;
      const { id: chatUserId } = discord.addUser({ username });
      const { id: gameUserId } = roblox.addUser({ username });
      roblox.setRank(groupId, gameUserId, rank);
      discord.join(guildId, chatUserId, { roleIds: rank < 100 ? [memberRole] : [memberRole, officerRole] });
      return { chatUserId, username, gameUserId, gameUsername: username };
    });
    await Members.acrossGuilds.insertMany(people.map((person) => linkedMember(guildId, person)));
    return people;
  };
  const idle = { service: await addPeople('idle', 1), bare: await addPeople('idleBare', 1) };
  // The reference sets the officer role that its people have: a call without a change.
  const changed = { service: await addPeople('changed', 1), bare: await addPeople('changedBare', 100) };

  const { text } = await mintBotToken({ guildId, role: 'admin', name: 'syncs', createdBy: ownerId });
  const request = { method: 'POST', headers: { authorization: `Bot ${text}` }, atOnce } as const;
  const pathOf = ({ chatUserId }: Person) => `/api/guilds/${guildId}/members/${chatUserId}/resync`;
  const inTurn = (people: readonly Person[], n: number): Person => people[n % peopleEach] ?? people[0] ?? nobody();
  const officers = new Set<Person>();
  const promoteOrDemote = (person: Person): void => {
    if (!officers.delete(person)) officers.add(person);
    roblox.setRank(groupId, person.gameUserId, officers.has(person) ? 100 : 1);
  };
  return {
    'POST resync, nothing to do': {
      ...request,
      of: (n, side) => ({ path: pathOf(inTurn(idle[side], n)) }),
      isAsMeant: (answer) => changesOf(answer) === 0,
    },
    'POST resync, one change': {
      ...request,
      of(n, side) {
        const person = inTurn(changed[side], n);
        if (side === 'service') promoteOrDemote(person);
        return { path: pathOf(person) };
      },
      isAsMeant: (answer) => changesOf(answer) === 1,
    },
  };
}

function changesOf(answer: string): number {
  const { added, removed } = JSON.parse(answer) as { added: string[]; removed: string[] };
  return added.length + removed.length;
}

function nobody(): never {
  throw new Error('There are no people.');
}
