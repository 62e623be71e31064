import { defaultSettings } from '../../src/core/settings/guild-settings.js';
import type { Condition } from '../../src/features/mappings/condition.js';
import type { SandboxGroup } from '../sandbox/roblox/game-group.js';
import { eventually } from '../support/build.js';
import { platformAdminId } from '../support/world.js';
import type { Confirmed, ConfirmedGuild, ConfirmedMapping } from './confirmed.js';
import type { Answer, ServiceDoor } from './model-service.js';
import type { Platforms } from './oracle.js';
import { noReports } from './told-facts.js';

export interface Person {
  id: string;
  username: string;
  /** Their own Roblox account, linked or not. */
  gameUserId: string;
}

export interface StageGuild extends ConfirmedGuild {
  owner: Person;
  /** An admin with their own role in the middle. */
  chief: Person;
  chiefRoleId: string;
  roleIds: string[];
  /** The role of a level in the guild's game, which no step chooses; undefined: the guild has none. */
  levelRoleId?: string;
  /** A role that no mapping ever names. */
  unmappedRoleId: string;
}

/** Where one script plays: two guilds, five people, two Roblox groups, and the service that knows the guilds, perhaps not these alone. */
export interface Stage extends Platforms {
  service: ServiceDoor;
  confirmed: Omit<Confirmed, 'guilds'> & { guilds: StageGuild[] };
  people: Person[];
  groupIds: string[];
  admin: Person;
  /** The group in which the owners may rank people, with its roles, lowest first; undefined: in none. */
  ranking?: { groupId: string; gameRoleIds: string[] } | undefined;
  /** Ranks may change at any moment: a change by the service has had no answer. */
  ranksMove?: boolean;
  /** What steps themselves have found wrong, in words. */
  problems: string[];
  /** Requests to the service without a wait for the answer. */
  unawaited: Promise<unknown>[];
}

const names = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve'];
/** Some people own it, and one owner hides their inventory. */
export const mappedItem = { type: 'owns_item' as const, kind: 'badge' as const, id: '77' };
/** Discord's bit. */
const administrator = 1n << 3n;
let serial = 0;

/** Half a year ago for two, two years for the others. */
const madeAt = (name: string): Date =>
  new Date(Date.now() - (name === 'Ben' || name === 'Eve' ? 180 : 730) * 24 * 3_600_000);

/**
 * Builds a stage that nothing has happened on, but for four mappings in each guild. With `ranks`, the owners may rank
 * people in the first group.
 */
export async function buildStage(
  platforms: Platforms,
  service: ServiceDoor,
  { ranks = false }: { ranks?: boolean } = {},
): Promise<Stage> {
  const { discord, roblox } = platforms;
  serial += 1;
  const person = (name: string): Person => {
    const username = `${name.toLowerCase()}${serial}`;
    return {
      id: discord.addUser({ username }).id,
      username,
      gameUserId: roblox.addUser({ username: `${name}${serial}`, createdAt: madeAt(name) }).id,
    };
  };
  const people = names.map(person);
  const groups = ['Army', 'Navy'].map((name) => roblox.addGroup({ name: `${name} ${serial}` }));
  const groupIds = groups.map(({ id }) => id);
  const guilds = ['Red', 'Blue'].map((name) =>
    buildGuild(platforms, name, person(`Owner${name}`), person(`Chief${name}`)),
  );
  const confirmed: Stage['confirmed'] = { accounts: new Map(), everLinked: new Set(), uncertain: new Set(), guilds };
  const admin = { id: platformAdminId, username: 'admin', gameUserId: '' };
  const stage: Stage = { ...platforms, service, confirmed, people, groupIds, admin, problems: [], unawaited: [] };
  for (const [index, { id, gameUserId }] of people.entries()) {
    if (index < 3) discord.join(guilds[0]?.guildId ?? '', id);
    if (index > 1) discord.join(guilds[1]?.guildId ?? '', id);
    if (index % 2 === 1) roblox.setPremium(gameUserId);
    if (index > 1) roblox.giveItem(gameUserId, mappedItem);
    if (index === 3) roblox.setInventoryPrivate(gameUserId);
    if (index % 2 === 0) roblox.setRank(groupIds[0] ?? '', gameUserId, index === 0 ? 100 : 1);
  }
  if (ranks) await letRank(stage, groups[0]);
  for (const guild of guilds) await furnish(stage, guild);
  return stage;
}

/** The account behind the key, for each Roblox. */
const keyAccounts = new WeakMap<Platforms['roblox'], string>();

/** The key's account stands above the guilds' owners, and they above everybody else. */
async function letRank(stage: Stage, group: SandboxGroup | undefined): Promise<void> {
  const { roblox, service, confirmed } = stage;
  if (group === undefined) return;
  const keyAccount = keyAccounts.get(roblox) ?? roblox.addUser({ username: 'TheKey' }).id;
  keyAccounts.set(roblox, keyAccount);
  roblox.setKey({ accountId: keyAccount });
  const permissions = ['changeRank', 'acceptRequests'] as const;
  const keeper = roblox.addGroupRole(group.id, { name: 'Keeper', rank: 254, permissions });
  const leader = roblox.addGroupRole(group.id, { name: 'Leader', rank: 200 });
  const lower = group.roles.filter(({ rank }) => rank > 0 && rank < leader.rank);
  roblox.setGroupRoles(group.id, keyAccount, [keeper.id]);
  for (const { owner } of confirmed.guilds) roblox.setGroupRoles(group.id, owner.gameUserId, [leader.id]);
  stage.ranking = { groupId: group.id, gameRoleIds: [...lower, leader].map(({ id }) => id) };
  await service.allowRanking(group.id);
}

function buildGuild({ discord }: Platforms, name: string, owner: Person, chief: Person): StageGuild {
  const { id: guildId } = discord.addGuild({ name, ownerId: owner.id });
  const addRole = (role: string, permissions = 0n) => discord.addRole(guildId, { name: role, permissions }).id;
  const [unmappedRoleId = '', levelRoleId = '', ...lower] = ['Plain', 'Level', 'One', 'Two'].map((role) =>
    addRole(role),
  );
  const chiefRoleId = addRole('Chief', administrator);
  const roleIds = [...lower, ...['Officer', ' member'].map((role) => addRole(role))];
  discord.join(guildId, chief.id, { roleIds: [chiefRoleId] });
  return {
    ...{
      guildId,
      name,
      ownerId: owner.id,
      ...{ owner, chief, chiefRoleId },
      ...{ roleIds, levelRoleId },
      unmappedRoleId,
      suspended: false,
      settings: defaultSettings,
    },
    ...{ mappings: [], provenHere: new Set(), blocked: new Set(), consents: new Map(), unseen: new Set() },
    ...noWords(),
  };
}

/** A guild that has given its word about nobody, and has no reports from a game. */
export const noWords = (): Pick<StageGuild, 'words' | 'chosen' | 'doubtful' | 'confirmations' | 'reports'> => ({
  words: new Map(),
  chosen: new Map(),
  doubtful: new Set(),
  confirmations: 0,
  reports: noReports(),
});

/** The guild as its owner sets it up: both groups, and four mappings. Blue asks people whether it may see them. */
async function furnish(stage: Stage, guild: StageGuild): Promise<void> {
  const { service, groupIds } = stage;
  const stored = { _id: guild.guildId, present: true };
  await eventually(() => service.db.collection<{ _id: string }>('guilds').findOne(stored), 'the guild');
  if (guild.name === 'Blue') {
    guild.settings = { ...defaultSettings, reveal: 'ask' };
    requireDone(await askOwner(stage, guild, 'PUT', '/settings', guild.settings));
  }
  for (const groupId of groupIds) requireDone(await askOwner(stage, guild, 'POST', '/groups', { groupId }));
  const [army = '', navy = ''] = groupIds;
  const [one = '', two = '', three = ''] = guild.roleIds;
  const conditions: [Condition, string | undefined][] = [
    [{ type: 'group_member', groupId: army }, one],
    [{ type: 'group_rank', groupId: army, min: 100, max: 255 }, two],
    [guild.name === 'Red' ? { type: 'unverified' } : { type: 'group_member', groupId: navy }, three],
    [{ type: 'fact', key: 'level', atLeast: 12 }, guild.levelRoleId],
  ];
  for (const [condition, roleId = ''] of conditions)
    requireDone(await addMapping(stage, guild, { condition, roleIds: [roleId] }));
}

/** A request by the guild's owner. */
export function askOwner(
  { service }: Stage,
  { guildId, owner }: StageGuild,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return service.ask(owner, method, `/api/guilds/${guildId}${path}`, body);
}

/** Adds a mapping, and notes it when it is there. */
export async function addMapping(
  stage: Stage,
  guild: StageGuild,
  draft: Pick<ConfirmedMapping, 'condition' | 'roleIds' | 'nickname'> & { removeWhenUnmatched?: boolean },
): Promise<Answer> {
  const wish = { removeWhenUnmatched: true, enabled: true, ...draft };
  const answer = await askOwner(stage, guild, 'POST', '/mappings', wish);
  if (answer.status === 201) guild.mappings.push({ mappingId: answer.body.mappingId ?? '', ...wish });
  return answer;
}

function requireDone({ status, body }: Answer): void {
  if (status < 200 || status > 299) throw new Error(`The stage can't be built: ${status} ${JSON.stringify(body)}`);
}

/** Takes the bot out of all guilds of a service, so that the next stages have it to themselves, and forgets all. */
export async function strikeStages(service: ServiceDoor, stages: readonly Stage[]): Promise<void> {
  for (const { discord, confirmed, unawaited } of stages) {
    await Promise.allSettled(unawaited);
    for (const { guildId } of confirmed.guilds) if (hasBot(discord, guildId)) discord.removeBot(guildId);
  }
  const there = () => service.db.collection('guilds').countDocuments({ present: true });
  await eventually(async () => (await there()) === 0, 'the leave of the bot');
  await service.wipe();
}

export const hasBot = (discord: Stage['discord'], guildId: string): boolean =>
  discord.member(guildId, discord.application.botUserId) !== undefined;
