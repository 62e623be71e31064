import type { Db } from 'mongodb';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';

/** A member in the crowd: the roles that they should end with, and whether that takes a change. */
interface CrowdMember {
  chatUserId: string;
  expected: string[];
  differs: boolean;
}

export interface Crowd {
  guildId: string;
  ownerId: string;
  groupId: string;
  memberRole: string;
  officerRole: string;
  members: CrowdMember[];
}

/** A member's roles, rank in the Roblox group and due roles, in rotation. */
const fates = [
  { holds: [], rank: 1, expected: ['member'] },
  { holds: ['member'], rank: 1, expected: ['member'] },
  { holds: ['member'], rank: 0, expected: [] },
  { holds: [], rank: 100, expected: ['member', 'officer'] },
  { holds: ['member'], rank: 100, expected: ['member', 'officer'] },
  { holds: ['member', 'officer'], rank: 100, expected: ['member', 'officer'] },
] as const;

let serial = 0;

/** A guild with linked people and changes due for a resync; the bot is not in it yet. */
export async function buildCrowd(
  count: number,
  { discord, roblox, database }: { discord: DiscordSandbox; roblox: RobloxSandbox; database: Db },
): Promise<Crowd> {
  serial += 1;
  const owner = discord.addUser({ username: `crowd.owner${serial}` });
  const { id: guildId } = discord.addGuild({ name: 'Crowd', ownerId: owner.id, withBot: false });
  const memberRole = discord.addRole(guildId, { name: 'Member' }).id;
  const officerRole = discord.addRole(guildId, { name: 'Officer' }).id;
  const roleIds = (names: readonly ('member' | 'officer')[]) =>
    names.map((name) => (name === 'member' ? memberRole : officerRole)).sort();
  const { id: groupId } = roblox.addGroup({ name: 'Crowd' });
  const people = Array.from({ length: count }, (_, index) => {
    const { id: chatUserId, username } = discord.addUser({ username: `crowd${serial}.${index}` });
    const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: `Crowd${serial}_${index}` });
    const { holds, rank, expected } = fates[index % fates.length] ?? fates[0];
    if (rank > 0) roblox.setRank(groupId, gameUserId, rank);
    discord.join(guildId, chatUserId, { roleIds: roleIds(holds), nickname: gameUsername });
    const member = { chatUserId, expected: roleIds(expected), differs: holds.join() !== expected.join() };
    return { member, stored: linkedMember(guildId, { chatUserId, username, gameUserId, gameUsername }) };
  });
  await database.collection('members').insertMany(people.map(({ stored }) => stored));
  discord.addBot(guildId);
  discord.moveRole(guildId, discord.botRole(guildId).id, 3);
  const members = people.map(({ member }) => member);
  return { guildId, ownerId: owner.id, groupId, memberRole, officerRole, members };
}

type Post = (path: string, body: object) => Promise<unknown>;

/** Posts to the crowd's guild at the service at `url`, with these headers. */
export function postFrom(url: string, { guildId }: Crowd, headers: Record<string, string>): Post {
  return async (path, body) => {
    const wish = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/guilds/${guildId}/${path}`, wish);
    if (answer.status !== 201 && answer.status !== 202) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
}

/** Stores the rules for the crowd members' due roles. */
export async function mapCrowd(post: Post, { groupId, memberRole, officerRole }: Crowd): Promise<void> {
  const condition = { type: 'group_rank', groupId, max: 255 };
  await post('groups', { groupId });
  await post('mappings', { condition: { ...condition, min: 1 }, roleIds: [memberRole] });
  await post('mappings', { condition: { ...condition, min: 100 }, roleIds: [officerRole] });
}

/** Starts the crowd guild's resync. Gives its id. */
export async function resyncCrowd(post: Post): Promise<string> {
  return ((await post('resync', {})) as { jobId: string }).jobId;
}

/** How often each write was sent. Roles that Discord's answer lacks in doubt are given one by one (SYNC-59). */
export function timesOfWrites(discord: DiscordSandbox): number[] {
  const times = new Map<string, number>();
  for (const { method, path } of discord.requests) {
    const isWrite = method !== 'GET' && /\/guilds\/\d+\/members\/\d+/.test(path);
    if (isWrite) times.set(`${method} ${path}`, (times.get(`${method} ${path}`) ?? 0) + 1);
  }
  return [...times.values()];
}

export function writesByMember(discord: DiscordSandbox): Map<string, number> {
  const writes = new Map<string, number>();
  for (const { method, path } of discord.requests) {
    const [, chatUserId] = /\/guilds\/\d+\/members\/(\d+)/.exec(path) ?? [];
    if (method === 'GET' || chatUserId === undefined) continue;
    writes.set(chatUserId, (writes.get(chatUserId) ?? 0) + 1);
  }
  return writes;
}
