import type { Db } from 'mongodb';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';

/** Guilds in one size, each with its own group. Everyone is also in groups that no guild names. */
export interface CrowdShape {
  guilds: number;
  /** Linked people in each guild. */
  people: number;
  groupSize: number;
  groupsPerPerson: number;
  /** Whether the key sees the groups' own logs. */
  showsLog?: boolean;
}

interface CrowdGuild {
  guildId: string;
  groupId: string;
  memberRole: string;
  officerRole: string;
}

/** A linked person, in step. */
export interface CrowdPerson extends CrowdGuild {
  chatUserId: string;
  gameUserId: string;
  rank: number;
}

interface Stage {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  database: Db;
}

const ofTenAreOfficers = 1;
const hourAgo = () => new Date(Date.now() - 3_600_000);

/** Fills the sandboxes and the database; a tenth of each group are officers. */
export async function buildCrowd(shape: CrowdShape, stage: Stage): Promise<CrowdPerson[]> {
  const { roblox } = stage;
  const strangers = Array.from({ length: shape.groupSize - shape.people }, (_, n) =>
    roblox.addUser({ username: `Stranger${n}` }),
  );
  const elsewhere = Array.from({ length: shape.groupsPerPerson - 1 }, (_, n) =>
    roblox.addGroup({ name: `Other ${n}` }),
  );
  const people: CrowdPerson[] = [];
  for (let number = 0; number < shape.guilds; number += 1) {
    const guild = await buildCrowdGuild(number, stage);
    for (const [index, { id }] of strangers.entries()) roblox.setRank(guild.groupId, id, rankOf(index));
    const found = Array.from({ length: shape.people }, (_, index) => join(guild, `${number}x${index}`, index, stage));
    for (const { person } of found) for (const { id } of elsewhere) roblox.setRank(id, person.gameUserId, 1);
    if (shape.showsLog === true) roblox.showGroupLog(guild.groupId);
    await stage.database.collection('members').insertMany(found.map(({ stored }) => stored));
    people.push(...found.map(({ person }) => person));
  }
  return people;
}

const rankOf = (index: number): number => (index % 10 < ofTenAreOfficers ? 100 : 1);

async function buildCrowdGuild(number: number, { discord, roblox, database }: Stage): Promise<CrowdGuild> {
  const owner = discord.addUser({ username: `crowd.owner${number}` });
  const { id: guildId } = discord.addGuild({ name: `Crowd ${number}`, ownerId: owner.id });
  const memberRole = discord.addRole(guildId, { name: 'Member' }).id;
  const officerRole = discord.addRole(guildId, { name: 'Officer' }).id;
  discord.moveRole(guildId, discord.botRole(guildId).id, 3);
  const { id: groupId, name } = roblox.addGroup({ name: `Crowd ${number}` });
  const at = hourAgo();
  const group = { memberCount: 0, roles: [], gone: false, addedAt: at, refreshedAt: at };
  await database.collection('groups').insertOne({ guildId, groupId, name, ...group });
  const mapping = (min: number, roleId: string) => ({
    ...{ guildId, name: null, condition: { type: 'group_rank', groupId, min, max: 255 }, roleIds: [roleId] },
    ...{ removeWhenUnmatched: true, enabled: true, createdAt: at, updatedAt: at },
    _id: `map_${String(number * 2 + (min > 1 ? 1 : 0)).padStart(24, '0')}`,
  });
  const mappings = database.collection<{ _id: string }>('mappings');
  await mappings.insertMany([mapping(1, memberRole), mapping(100, officerRole)]);
  return { guildId, groupId, memberRole, officerRole };
}

function join(guild: CrowdGuild, name: string, index: number, { discord, roblox }: Stage) {
  const { id: chatUserId, username } = discord.addUser({ username: `crowd${name}` });
  const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: `Crowd${name}` });
  const rank = rankOf(index);
  roblox.setRank(guild.groupId, gameUserId, rank);
  const roleIds = rank === 100 ? [guild.memberRole, guild.officerRole] : [guild.memberRole];
  discord.join(guild.guildId, chatUserId, { roleIds, nickname: gameUsername });
  const stored = linkedMember(guild.guildId, { chatUserId, username, gameUserId, gameUsername });
  return { person: { ...guild, chatUserId, gameUserId, rank } satisfies CrowdPerson, stored };
}
