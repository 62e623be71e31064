import type { Db } from 'mongodb';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';

/** A guild in the sandboxes whose linked members are stored. */
export interface BenchGuild {
  guildId: string;
  ownerId: string;
  groupId: string;
  memberRole: string;
  officerRole: string;
  /** How many of its members are out of step. */
  differing: number;
}

/** A member's role names by rank; 0 for people outside the group. */
const rolesByRank = { 0: [], 1: ['member'], 100: ['member', 'officer'] } as const;
type Rank = keyof typeof rolesByRank;

/** How members are out of step, by turns: to be given a role, to lose one, to get another and a nickname. */
const faults: readonly { holds: Rank; rank: Rank; nickname?: string }[] = [
  { holds: 0, rank: 1 },
  { holds: 1, rank: 0 },
  { holds: 1, rank: 100, nickname: 'Somebody' },
];
const inStep: readonly { holds: Rank; rank: Rank; nickname?: string }[] = [
  { holds: 1, rank: 1 },
  { holds: 100, rank: 100 },
];
/** One in this many members is out of step. */
const differingEvery = 100;
const storedAtOnce = 5_000;

/** A guild's people: their due roles, and those in step. */
export class BenchPeople {
  readonly expected = new Map<string, { roleIds: string[]; nickname: string }>();
  readonly inStep: string[] = [];
}

/** Fills the sandboxes and the database with one guild that has `members` linked people; 1 % are out of step. */
export async function buildBenchGuild(
  members: number,
  { discord, roblox, database }: { discord: DiscordSandbox; roblox: RobloxSandbox; database: Db },
): Promise<{ guild: BenchGuild; people: BenchPeople }> {
  const owner = discord.addUser({ username: 'bench.owner' });
  const { id: guildId } = discord.addGuild({ name: 'Bench', ownerId: owner.id, withBot: false });
  const memberRole = discord.addRole(guildId, { name: 'Member' }).id;
  const officerRole = discord.addRole(guildId, { name: 'Officer' }).id;
  const { id: groupId } = roblox.addGroup({ name: 'Bench' });
  const rolesOf = (rank: Rank) => rolesByRank[rank].map((name) => (name === 'member' ? memberRole : officerRole));
  const people = new BenchPeople();
  let batch: ReturnType<typeof linkedMember>[] = [];
  for (let index = 0; index < members; index += 1) {
    const isDiffering = index % differingEvery === 0;
    const turns = isDiffering ? faults : inStep;
    const fate = turns[(isDiffering ? index / differingEvery : index) % turns.length] ?? { holds: 1, rank: 1 };
    const { id: chatUserId, username } = discord.addUser({ username: `bench${index}` });
    const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: `Bench${index}` });
    if (fate.rank > 0) roblox.setRank(groupId, gameUserId, fate.rank);
    discord.join(guildId, chatUserId, { roleIds: rolesOf(fate.holds), nickname: fate.nickname ?? gameUsername });
    people.expected.set(chatUserId, { roleIds: rolesOf(fate.rank).sort(), nickname: gameUsername });
    if (!isDiffering && fate.rank === 1) people.inStep.push(chatUserId);
    batch.push(linkedMember(guildId, { chatUserId, username, gameUserId, gameUsername }));
    if (batch.length < storedAtOnce && index + 1 < members) continue;
    await database.collection('members').insertMany(batch);
    batch = [];
  }
  discord.addBot(guildId);
  discord.moveRole(guildId, discord.botRole(guildId).id, 3);
  const differing = Math.ceil(members / differingEvery);
  return { guild: { guildId, ownerId: owner.id, groupId, memberRole, officerRole, differing }, people };
}
