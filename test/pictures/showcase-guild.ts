import { Teammates } from '../../src/core/access/teammate-model.js';
import { countFact, DailyCounters } from '../../src/core/counters/daily-counters.js';
import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../src/core/settings/settings-service.js';
import { rankTargetMs } from '../../src/features/rank-watch/rank-target.js';
import { clock } from '../../src/lib/clock.js';
import { dayMs, secondMs } from '../../src/lib/time.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from '../support/build.js';
import { world } from '../support/world.js';
import { showcaseNames } from './showcase-people.js';

/** A Roblox group by its name, its ranks in rising order, and the name and colour of each one's role. */
const groups = {
  'Space Rangers': [
    { rank: 1, name: 'Recruit', color: 0x95a5a6 },
    { rank: 20, name: 'Cadet', color: 0x2ecc71 },
    { rank: 40, name: 'Ranger', color: 0x1abc9c },
    { rank: 60, name: 'Sergeant', color: 0x3498db },
    { rank: 100, name: 'Lieutenant', color: 0x9b59b6 },
    { rank: 150, name: 'Captain', color: 0xe91e63 },
    { rank: 200, name: 'Commander', color: 0xe67e22 },
    { rank: 250, name: 'Admiral', color: 0xf1c40f },
  ],
  'Ranger Academy': [
    { rank: 1, name: 'Applicant', color: 0x607d8b },
    { rank: 10, name: 'Student', color: 0x11806a },
    { rank: 50, name: 'Graduate', color: 0x1f8b4c },
    { rank: 100, name: 'Tutor', color: 0x206694 },
    { rank: 200, name: 'Dean', color: 0x71368a },
  ],
  'Orbital Engineers': [
    { rank: 1, name: 'Apprentice', color: 0xa84300 },
    { rank: 30, name: 'Mechanic', color: 0xc27c0e },
    { rank: 80, name: 'Engineer', color: 0xe67e22 },
    { rank: 120, name: 'Chief Engineer', color: 0xad1457 },
    { rank: 200, name: 'Fleet Architect', color: 0x992d22 },
  ],
  'Deep Space Medics': [
    { rank: 1, name: 'First Aider', color: 0xe74c3c },
    { rank: 50, name: 'Medic', color: 0xc0392b },
    { rank: 150, name: 'Surgeon', color: 0x992d22 },
    { rank: 220, name: 'Chief of Medicine', color: 0x7f1d1d },
  ],
} as const;
type GroupName = keyof typeof groups;
const groupNames = Object.keys(groups) as GroupName[];

/** The server's awards, each for a rank range in one group. */
const ranges: readonly [name: string, group: GroupName, min: number, max: number][] = [
  ['Crew', 'Space Rangers', 1, 255],
  ['Bridge', 'Space Rangers', 150, 255],
  ['Boarding Party', 'Space Rangers', 40, 149],
  ['Campus', 'Ranger Academy', 1, 99],
  ['Faculty', 'Ranger Academy', 100, 255],
  ['Engine Room', 'Orbital Engineers', 30, 255],
  ['Dock Access', 'Orbital Engineers', 1, 255],
  ['Medical Bay', 'Deep Space Medics', 1, 255],
  ['On Call', 'Deep Space Medics', 50, 219],
];

export interface ShowcaseGuild extends TestGuild {
  owner: { chatUserId: string; username: string };
  groupIds: Map<GroupName, string>;
  /** Discord roles by their name. */
  roleIds: Map<string, string>;
  members: TestPerson[];
}

/** A server at work that observes so far: four groups, 39 mappings, and nobody yet. */
export async function buildShowcaseGuild(): Promise<ShowcaseGuild> {
  const { discord } = await world();
  const guild = await buildGuild({ name: 'Space Rangers' });
  const owner = { chatUserId: guild.ownerId, username: 'astra' };
  discord.renameUser(owner.chatUserId, owner.username);
  // Nothing is written for hundreds of members one by one, under Discord's limits.
  await writeSettings(guild.guildId, { ...defaultSettings, mode: 'observe' });
  const showcase = {
    ...guild,
    owner,
    groupIds: new Map<GroupName, string>(),
    roleIds: new Map<string, string>(),
    members: [],
  };
  for (const name of groupNames) await addGroup(showcase, name);
  await addRanges(showcase);
  await countPast(guild.guildId);
  return showcase;
}

/** A mapping to the role by this name, which is made if it is missing. */
async function give(guild: ShowcaseGuild, name: string, condition: unknown, more: object = {}): Promise<void> {
  const { discord } = await world();
  const id = guild.roleIds.get(name) ?? discord.addRole(guild.guildId, { name }).id;
  guild.roleIds.set(name, id);
  const { status } = await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [id], ...more });
  if (status !== 201) throw new Error(`no mapping for ${name}: ${status}`);
}

/** The group with its ranks, and a mapping for each. */
async function addGroup(guild: ShowcaseGuild, name: GroupName): Promise<void> {
  const { discord, roblox } = await world();
  const ranks = groups[name];
  const { id: groupId } = roblox.addGroup({ name, roles: [{ name: 'Guest', rank: 0 }, ...ranks] });
  guild.groupIds.set(name, groupId);
  await guild.api.post(`${guild.path}/groups`, { groupId });
  for (const { rank, name: roleName, color } of ranks) {
    guild.roleIds.set(roleName, discord.addRole(guild.guildId, { name: roleName, color }).id);
    await give(guild, roleName, { type: 'group_rank', groupId, min: rank, max: rank });
  }
}

/** The other mappings: rank ranges, and one in each other kind. */
async function addRanges(guild: ShowcaseGuild): Promise<void> {
  const groupId = (name: GroupName) => guild.groupIds.get(name);
  const inGroup = (name: GroupName) => ({ type: 'group_member', groupId: groupId(name) });
  for (const [name, group, min, max] of ranges)
    await give(guild, name, { type: 'group_rank', groupId: groupId(group), min, max });
  await give(guild, 'Verified', { type: 'verified' }, { name: 'Everybody' });
  await give(guild, 'Not verified', { type: 'unverified' });
  await give(guild, 'Veteran', { type: 'account_age', days: 1_825 });
  await give(guild, 'Premium', { type: 'premium' });
  await give(guild, 'All-rounder', { type: 'all', of: groupNames.slice(1).map(inGroup) });
  await give(guild, 'Support Crew', { type: 'any', of: [inGroup('Orbital Engineers'), inGroup('Deep Space Medics')] });
  await give(guild, 'Visitor', { type: 'not', of: inGroup('Space Rangers') }, { enabled: false });
  await give(guild, 'Explorer', {
    type: 'all',
    of: [{ type: 'verified' }, { type: 'not', of: inGroup('Ranger Academy') }],
  });
}

/** Lets this many people join, eight in nine verified, without roles so far. */
export async function addMembers(guild: ShowcaseGuild, count = showcaseNames.length): Promise<void> {
  const { discord, roblox } = await world();
  for (const [index, { username, gameUsername }] of showcaseNames.slice(0, count).entries()) {
    const { id: chatUserId } = discord.addUser({ username });
    const createdAt = new Date(clock.epochMs() - ((index * 37) % 3_000) * dayMs);
    const { id: gameUserId } = roblox.addUser({ username: gameUsername, createdAt });
    for (const [at, name] of groupNames.entries()) {
      const rank = groups[name][rankAt(index, groups[name].length)]?.rank ?? 1;
      if (index % (at + 1) === 0) roblox.setRank(guild.groupIds.get(name) ?? '', gameUserId, rank);
    }
    const person = { chatUserId, username, gameUserId, gameUsername };
    guild.members.push(await buildMember(guild, { person, linked: index % 9 !== 4 }));
  }
}

/** A server that has the bot and some ranks' roles, and has begun its set-up with the first group. */
export async function buildFreshGuild(guild: ShowcaseGuild): Promise<Pick<ShowcaseGuild, 'guildId' | 'owner'>> {
  const { discord } = await world();
  const fresh = await buildGuild({ name: 'Ranger Outpost' });
  const owner = { chatUserId: fresh.ownerId, username: 'orion' };
  for (const { name, color } of groups['Space Rangers'].slice(0, -2)) discord.addRole(fresh.guildId, { name, color });
  await fresh.api.patch(`${fresh.path}/setup`, { group: { groupId: guild.groupIds.get('Space Rangers') } });
  return { guildId: fresh.guildId, owner };
}

/** Somebody new to Rolelink who has this name on Discord. */
export async function buildNamedPerson(username: string): Promise<TestPerson> {
  const { discord } = await world();
  const person = await buildPerson();
  discord.renameUser(person.chatUserId, username);
  return { ...person, username };
}

/** An admin in the server with the owner's name: one person may not ask for all pictures within a minute (API-30). */
export async function buildReader({ guildId, owner }: ShowcaseGuild): Promise<ShowcaseGuild['owner']> {
  const { discord } = await world();
  const { username } = owner;
  const { id: chatUserId } = discord.addUser({ username });
  const invited = { invitedBy: owner.chatUserId, invitedAt: clock.now() };
  await Teammates.insert({ guildId, chatUserId, username, role: 'admin', state: 'active', ...invited });
  return { chatUserId, username };
}

/** Low ranks are common and high ones are rare. */
const rankAt = (index: number, ranks: number): number => Math.floor(ranks * ((index * 0.618) % 1) ** 2.2);

/** Thirty days of verifications and syncs, and each day's level, with quiet and busy ones. */
async function countPast(guildId: string): Promise<void> {
  const now = clock.epochMs();
  const rankTarget = rankTargetMs('enterprise') / secondMs;
  for (let days = 1; days < 30; days += 1) {
    const at = new Date(now - days * dayMs);
    const verified = 6 + ((days * 7) % 11) + ((days * 3) % 5);
    for (let count = 0; count < verified; count += 1) await countFact(guildId, 'verified', at);
    for (let count = 0; count < (days * 5) % 4; count += 1) await countFact(guildId, 'verificationFailed', at);
    for (let count = 0; count < 3 + ((days * 11) % 9); count += 1) await countFact(guildId, 'synced', at);
    const level = { at, linked: 271 - days * 4 + ((days * 5) % 7), rankTarget };
    const rankAge = Math.round(rankTarget * (0.3 + ((days * 3) % 7) / 20));
    const day = at.toISOString().slice(0, 10);
    await DailyCounters.upsert({ guildId, day }, { $set: { level, rankAge } });
  }
}
