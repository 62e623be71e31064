import { defaultSettings, type GuildSettings } from '../../src/core/settings/guild-settings.js';
import type { Condition } from '../../src/features/mappings/condition.js';
import { diceOf, OtherBot } from '../sandbox/other-bot.js';
import { eventually } from '../support/build.js';
import type { ModelService } from './model-service.js';
import { type Platforms, verdictOn } from './oracle.js';
import { addMapping, askOwner, noWords, type Person, type Stage, type StageGuild } from './stage.js';

/** The group's ranks; 0 is a person outside it. */
const ranks = [0, 1, 50, 90, 100, 200, 255];
/** One person in this many has no account here. */
const linkedOf = 12;

export interface ObservedStage extends Stage {
  guild: StageGuild;
  other: OtherBot;
  dice: () => number;
  groupId: string;
}

/** What a person would gain and lose. */
export interface Change {
  add: string[];
  remove: string[];
}

/** A server this large whose roles another bot manages, and which Rolelink observes. */
export async function buildObservedStage(
  platforms: Platforms,
  service: ModelService,
  count: number,
  seed: number,
): Promise<ObservedStage> {
  const { discord, roblox } = platforms;
  const dice = diceOf(seed);
  const owner = { id: discord.addUser({ username: 'switcher' }).id, username: 'switcher', gameUserId: '' };
  const { id: guildId } = discord.addGuild({ name: 'Station', ownerId: owner.id });
  const [member = '', officer = '', veteran = '', visitor = ''] = ['Member', 'Officer', 'Veteran', 'Visitor'].map(
    (name) => discord.addRole(guildId, { name }).id,
  );
  const names = ['Recruit', 'Soldier', 'Cadet', 'Officer', 'Colonel', 'Owner'];
  const group = roblox.addGroup({
    name: 'Station',
    roles: [{ name: 'Guest', rank: 0 }, ...names.map((name, index) => ({ name, rank: ranks[index + 1] ?? 1 }))],
  });
  const people = Array.from({ length: count }, (_, index): Person => {
    const username = `observed${index}`;
    const { id: gameUserId } = roblox.addUser({ username: `Observed${index}` });
    return { id: discord.addUser({ username }).id, username, gameUserId };
  });
  const accounts = new Map(people.flatMap(({ id, gameUserId }, index) => (index % linkedOf ? [[id, gameUserId]] : [])));
  for (const { id, gameUserId } of people) {
    const rank = ranks[Math.floor(dice() * ranks.length)] ?? 0;
    if (rank > 0) roblox.setRank(group.id, gameUserId, rank);
    discord.join(guildId, id);
  }
  const keeps = { guildId, groupId: group.id, accounts, roles: { member, officer, visitor } };
  const other = new OtherBot(platforms, keeps, dice);
  other.round(1, 0);
  const guild: StageGuild = {
    ...{ guildId, name: 'Station', ownerId: owner.id, owner, roleIds: [member, officer, veteran] },
    ...{ unmappedRoleId: visitor, suspended: false, settings: settingsWhileObserving, mappings: [] },
    ...{ provenHere: new Set(), blocked: new Set(), consents: new Map(), unseen: new Set() },
    ...{ ...noWords(), chief: owner, chiefRoleId: '' },
  };
  const held = new Map([...accounts].map(([id, game]) => [id, [{ game, main: 0, at: 0 }]]));
  const confirmed = {
    ...{ accounts: held, everLinked: new Set(accounts.keys()), uncertain: new Set<string>(), guilds: [guild] },
  };
  const stage: Stage = {
    ...platforms,
    service,
    confirmed,
    people,
    groupIds: [group.id],
    admin: owner,
    problems: [],
    unawaited: [],
  };
  await furnish(stage, guild, group.id);
  return { ...stage, guild, other, dice, groupId: group.id };
}

const settingsWhileObserving: GuildSettings = {
  ...defaultSettings,
  mode: 'observe',
  nickname: { ...defaultSettings.nickname, enabled: false },
  massRemoval: { sharePercent: 100, people: 1_000 },
};

/** Observing comes first, then the accounts, then the rules. A resync links the people. */
async function furnish(stage: Stage, guild: StageGuild, groupId: string): Promise<void> {
  const { service, people, confirmed } = stage;
  const stored = { _id: guild.guildId, present: true };
  await eventually(() => service.db.collection<{ _id: string }>('guilds').findOne(stored), 'the guild');
  await requireDone(askOwner(stage, guild, 'PUT', '/settings', guild.settings));
  const linked = people.filter(({ id }) => confirmed.accounts.has(id));
  const now = new Date();
  await service.db.collection<{ _id: string }>('accounts').insertMany(
    linked.map(({ id, gameUserId, username }) => ({
      ...{ _id: id, gameUserId, gameUsername: username, gameDisplayName: username, method: 'profile_code' },
      ...{ linkedAt: now, namesReadAt: now },
    })),
  );
  await requireDone(askOwner(stage, guild, 'POST', '/groups', { groupId }));
  const [member = '', officer = '', veteran = ''] = guild.roleIds;
  const rules: [Condition, string][] = [
    [{ type: 'group_member', groupId }, member],
    [{ type: 'group_rank', groupId, min: 100, max: 255 }, officer],
    [{ type: 'group_rank', groupId, min: 200, max: 254 }, veteran],
  ];
  for (const [condition, roleId] of rules)
    await requireDone(addMapping(stage, guild, { condition, roleIds: [roleId] }));
  await requireDone(askOwner(stage, guild, 'POST', '/resync', {}));
  const linkedNow = () => service.db.collection('members').countDocuments({ state: 'linked' });
  await eventually(async () => (await linkedNow()) === linked.length, 'the links');
}

async function requireDone(asked: ReturnType<typeof askOwner>): Promise<void> {
  const { status, body } = await asked;
  if (status < 200 || status > 299) throw new Error(`The stage can't be built: ${status} ${JSON.stringify(body)}`);
}

/** What the oracle would change, by person. */
export function changesByOracle(stage: ObservedStage): Map<string, Change> {
  const { discord, confirmed, guild } = stage;
  const enforcing = { ...guild, settings: { ...guild.settings, mode: 'enforce' as const } };
  const changes = new Map<string, Change>();
  for (const [id, held] of rolesOfAll(stage)) {
    const { roles } = verdictOn({ discord, roblox: stage.roblox }, confirmed, enforcing, id, { isSettled: true });
    const where = (verdict: string, holds: boolean) =>
      [...roles].flatMap(([role, each]) => (each === verdict && held.includes(role) === holds ? [role] : [])).sort();
    const change = { add: where('must', false), remove: where('must not', true) };
    if (change.add.length + change.remove.length > 0) changes.set(id, change);
  }
  return changes;
}

/** Everybody's roles but the bot's, by person. */
export function rolesOfAll({ discord, guild: { guildId } }: ObservedStage): Map<string, string[]> {
  const ids = discord.memberIds(guildId).filter((id) => id !== discord.application.botUserId);
  return new Map(ids.map((id) => [id, [...(discord.member(guildId, id)?.roleIds ?? [])].sort()]));
}

/** Rolelink's changes after the given entry count in the server's log, by person. */
export function changesByRolelink({ discord, guild }: ObservedStage, since: number): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const { executorId, userId, changes: made } of discord.auditLog(guild.guildId).slice(since)) {
    if (executorId !== discord.application.botUserId) continue;
    const { add, remove } = changes.get(userId) ?? { add: [], remove: [] };
    changes.set(userId, {
      add: [...add, ...made.rolesAdded].sort(),
      remove: [...remove, ...made.rolesRemoved].sort(),
    });
  }
  return changes;
}
