import mongoose from 'mongoose';
import { Accounts } from '../../src/features/accounts/account-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import type { TestPerson } from '../support/build.js';

/** How many people in each kind press on one process at the same time. */
export interface PromptnessShape {
  /** People who join one server. */
  joiners: number;
  /** Members in the server that is resynced. */
  resynced: number;
  /** Members and mappings in the server whose admin asks for the dearest things. */
  previewed: number;
  mappings: number;
}

export interface PromptGuild {
  guildId: string;
  ownerId: string;
  groupId: string;
  roleId: string;
  people: TestPerson[];
}

export interface Platforms {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
}

export const officer = 100;
const database = mongoose.connection;

/** A guild with a group, whose officers get a role. Its linked people have rank 1, so that they are in step. */
export async function buildPromptGuild(
  name: string,
  platforms: Platforms,
  { people, mappings = 1 }: { people: number; mappings?: number },
): Promise<PromptGuild> {
  const { discord, roblox } = platforms;
  const { id: ownerId } = discord.addUser({ username: `${name}.owner` });
  const { id: guildId } = discord.addGuild({ name, ownerId });
  const { id: roleId } = discord.addRole(guildId, { name: 'Officer' });
  discord.moveRole(guildId, discord.botRole(guildId).id, 2);
  const { id: groupId } = roblox.addGroup({ name: `Group of ${name}` });
  const found = Array.from({ length: people }, (_, index) => newPerson(`${name}${index}`, platforms, groupId));
  for (const { chatUserId, gameUsername } of found) discord.join(guildId, chatUserId, { nickname: gameUsername });
  const stored = found.map((person) => linkedMember(guildId, person));
  if (stored.length > 0) await Members.acrossGuilds.collection.insertMany(stored as never[]);
  const at = new Date(Date.now() - 3_600_000);
  const group = { memberCount: 0, roles: [], gone: false, addedAt: at, refreshedAt: at };
  await database.collection('groups').insertOne({ guildId, groupId, name: `Group of ${name}`, ...group });
  const rules = Array.from({ length: mappings }, (_, index) => ({
    ...{
      guildId,
      name: null,
      condition: { type: 'group_rank', groupId, min: officer + (index % 100), max: 255 - Math.floor(index / 100) },
    },
    ...{ roleIds: [roleId], removeWhenUnmatched: true, enabled: true, createdAt: at, updatedAt: at },
    _id: `map_${guildId.slice(-12)}${String(index).padStart(12, '0')}`,
  }));
  await database.collection('mappings').insertMany(rules as never[]);
  return { guildId, ownerId, groupId, roleId, people: found };
}

function newPerson(name: string, { discord, roblox }: Platforms, groupId: string): TestPerson {
  const { id: chatUserId, username } = discord.addUser({ username: name.toLowerCase() });
  const { id: gameUserId, username: gameUsername } = roblox.addUser({ username: name });
  roblox.setRank(groupId, gameUserId, 1);
  return { chatUserId, username, gameUserId, gameUsername };
}

/** People with an account, who are officers in a guild's group and will join it. */
export async function buildJoiners(guild: PromptGuild, platforms: Platforms, joiners: number): Promise<string[]> {
  const crowd = Array.from({ length: joiners }, (_, index) => newPerson(`Joiner${index}`, platforms, guild.groupId));
  const at = new Date();
  const accounts = crowd.map(({ chatUserId, gameUserId, gameUsername }) => {
    platforms.roblox.setRank(guild.groupId, gameUserId, officer);
    const game = { gameUserId, gameUsername, gameDisplayName: gameUsername };
    return { _id: chatUserId, ...game, method: 'oauth', linkedAt: at, namesReadAt: at };
  });
  if (accounts.length > 0) await Accounts.collection.insertMany(accounts as never[]);
  return crowd.map(({ chatUserId }) => chatUserId);
}

export type ApiCall = (method: string, path: string, body?: object) => Promise<{ status: number; retryAfter: number }>;

/** A caller to a guild's API by its own token. */
export async function apiOf(
  url: string,
  { guildId, ownerId }: PromptGuild,
  role: 'viewer' | 'admin',
): Promise<ApiCall> {
  const { text } = await mintBotToken({ guildId, role, name: 'promptness', createdBy: ownerId });
  const headers = { authorization: `Bot ${text}`, 'content-type': 'application/json' };
  return async (method, path, body) => {
    const place = path.startsWith('/') ? path : `/api/guilds/${guildId}/${path}`;
    const answer = await fetch(`${url}${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: Number(answer.headers.get('retry-after') ?? 0) };
  };
}
