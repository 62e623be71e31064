import { countFact } from '../../src/core/counters/daily-counters.js';
import { storeLevels } from '../../src/core/counters/daily-levels.js';
import { clock } from '../../src/lib/clock.js';
import { dayMs } from '../../src/lib/time.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, type TestPerson } from '../support/build.js';
import { world } from '../support/world.js';

export interface LivingGuild extends TestGuild {
  owner: { chatUserId: string; username: string };
  groupId: string;
  /** Discord roles by their name. */
  roles: Readonly<Record<'Verified' | 'Recruit' | 'Officer' | 'Moderator', string>>;
  members: TestPerson[];
}

/** A server with a group that has four ranks, three mappings and some members, one of whom has a role too many. */
export async function buildLivingGuild(name = 'Ranger Base', people = 5): Promise<LivingGuild> {
  const { discord, roblox } = await world();
  const guild = await buildGuild({ name });
  const owner = { chatUserId: guild.ownerId, username: discord.user(guild.ownerId).username };
  const role = (roleName: string): string => discord.addRole(guild.guildId, { name: roleName }).id;
  const roles = {
    Verified: role('Verified'),
    Recruit: role('Recruit'),
    Officer: role('Officer'),
    Moderator: role('Moderator'),
  };
  const { id: groupId } = roblox.addGroup({ name: 'Rangers of the Northern Valley' });
  for (const [rankName, rank] of Object.entries({ Recruit: 10, Captain: 200 }))
    roblox.addGroupRole(groupId, { name: rankName, rank });
  await guild.api.post(`${guild.path}/groups`, { groupId });
  const inGroup = { type: 'group_member', groupId } as const;
  for (const draft of [
    { name: 'Everybody', condition: { type: 'verified' }, roleIds: [roles.Verified] },
    { condition: { type: 'group_rank', groupId, min: 10, max: 99 }, roleIds: [roles.Recruit] },
    {
      name: 'Staff',
      condition: {
        type: 'all',
        of: [{ type: 'verified' }, { type: 'any', of: [inGroup, { type: 'group_rank', groupId, min: 100, max: 255 }] }],
      },
      roleIds: [roles.Officer],
      removeWhenUnmatched: false,
    },
  ])
    await guild.api.post(`${guild.path}/mappings`, draft);
  const members: TestPerson[] = [];
  for (let index = 0; index < people; index += 1) {
    const person = await buildPerson();
    roblox.setRank(groupId, person.gameUserId, [10, 100, 200][index % 3] ?? 10);
    members.push(await buildMember(guild, { person }));
  }
  const [first] = members;
  if (first !== undefined) discord.setMemberRoles(guild.guildId, first.chatUserId, [roles.Officer, roles.Recruit]);
  const now = clock.now().getTime();
  for (let days = 0; days < 30; days += 1) {
    const at = new Date(now - days * dayMs);
    for (let count = 0; count < (days * 7) % 11; count += 1) await countFact(guild.guildId, 'verified', at);
    if (days % 5 === 1) await countFact(guild.guildId, 'verificationFailed', at);
  }
  await keepHistory(guild, people, now);
  return { ...guild, owner, groupId, roles, members };
}

/** Figures for 60 days, as the standing job would have read them. */
async function keepHistory({ guildId, api, path }: TestGuild, people: number, now: number): Promise<void> {
  const mappings: { mappingId: string }[] = (await api.get(`${path}/mappings`)).body.data;
  for (let days = 60; days > 0; days -= 1) {
    const at = new Date(now - days * dayMs);
    const linked = Math.max(0, people - Math.ceil(days / 15));
    const holding = Object.fromEntries(mappings.map(({ mappingId }, n) => [mappingId, Math.max(0, linked - n)]));
    const rankTarget = days > 40 ? 900 : 120;
    const rankAge = Math.round(rankTarget * (0.4 + (days % 7) / 6));
    await storeLevels([{ guildId, linked, rankAge, rankTarget, holding }], at);
    for (let count = 0; count < (days * 5) % 9; count += 1) await countFact(guildId, 'synced', at);
    if (days % 6 === 2) await countFact(guildId, 'syncFailed', at);
  }
}
