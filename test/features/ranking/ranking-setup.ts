import { config } from '../../../src/config/config.js';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import type { GrantableRole } from '../../../src/core/actors/team-roles.js';
import { addGroup } from '../../../src/core/groups/group-service.js';
import { type Api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, linkPerson, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import type { GroupGuild } from '../sync/sync-setup.js';

/** The ladder of the group; `Guard` stands beside it, with the rank of `Private`. */
export const ranks = { Member: 1, Recruit: 5, Private: 6, Guard: 6, Officer: 100, Major: 150 } as const;
export type RankName = keyof typeof ranks;

export interface RankingGuild extends GroupGuild {
  roleIds: Readonly<Record<RankName, string>>;
  /** POST …/ranks of this group. */
  ranksPath: string;
  /** …/join-requests of this group. */
  requestsPath: string;
  /** The server's owner with a session, who is a Major of the group. */
  owner: Api;
  ownerGameUserId: string;
  /** Works by the key of this group's account from now on. */
  useKey(): void;
}

/** A guild with a group in which the operator lets it rank, by a key of the group's owner. */
export async function buildRankingGuild(keyRank: RankName | 'Owner' = 'Owner'): Promise<RankingGuild> {
  const { roblox } = await world();
  const guild = await buildGuild();
  const key = roblox.addUser({ username: `Key${guild.guildId.slice(-8)}` });
  const permissions = ['changeRank', 'acceptRequests'] as const;
  const roles = Object.entries(ranks).map(([name, rank]) => ({ name, rank, permissions }));
  const group = roblox.addGroup({
    name: `Ranks of ${guild.guildId}`,
    ...(keyRank === 'Owner' && { ownerId: key.id }),
    roles: [{ name: 'Guest', rank: 0 }, ...roles, { name: 'Owner', rank: 255 }],
  });
  const idOf = (name: string): string => group.roles.find((role) => role.name === name)?.id ?? '';
  const roleIds = Object.fromEntries(Object.keys(ranks).map((name) => [name, idOf(name)])) as RankingGuild['roleIds'];
  if (keyRank !== 'Owner') roblox.setGroupRoles(group.id, key.id, [roleIds[keyRank]]);
  const useKey = () => roblox.setKey({ accountId: key.id });
  useKey();
  await addGroup(guild.guild, systemActor('test'), group.id);
  (config().rankingGroups as Set<string>).add(group.id);
  const person = { ...(await buildPerson()), chatUserId: guild.ownerId, username: 'owner' };
  const path = `${guild.path}/groups/${group.id}`;
  const paths = { ranksPath: `${path}/ranks`, requestsPath: `${path}/join-requests` };
  const ranking = { ...guild, groupId: group.id, roleIds, ...paths };
  await linkPerson(guild.guildId, person);
  roblox.setGroupRoles(group.id, person.gameUserId, [roleIds.Major]);
  return { ...ranking, owner: await asPerson(person), ownerGameUserId: person.gameUserId, useKey };
}

/** A linked member of the guild with these roles in the group. */
export async function rankedMember(guild: RankingGuild, ...names: RankName[]): Promise<TestPerson> {
  const { roblox } = await world();
  const person = await buildMember(guild);
  roblox.setGroupRoles(
    guild.groupId,
    person.gameUserId,
    names.map((name) => guild.roleIds[name]),
  );
  return person;
}

/** A person's ranks in the group, highest first. */
export async function ranksOf({ groupId }: RankingGuild, { gameUserId }: Pick<TestPerson, 'gameUserId'>) {
  return (await world()).roblox.ranksOf(groupId, gameUserId);
}

/** A person with a session and a role in the server's team. */
export async function teammate({ guildId }: RankingGuild, person: TestPerson, role: GrantableRole): Promise<Api> {
  const { chatUserId, username } = person;
  const given = { state: 'active' as const, invitedBy: 'test', invitedAt: new Date() };
  await Teammates.insert({ guildId, chatUserId, username, role, ...given });
  return asPerson(person);
}
