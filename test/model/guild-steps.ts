import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import { noRestrictions, type Restrictions } from '../../src/core/settings/restrictions.js';
import type { Condition } from '../../src/features/mappings/condition.js';
import { addMapping, askOwner, hasBot, mappedItem, type Stage, type StageGuild } from './stage.js';
import type { Choice, StepKind } from './step.js';

// What a guild's admins do: over the API, and in Discord by hand; and what the platform's admin does.

/** Discord's bits. */
const kickMembers = 1n << 1n;
const manageRolesAndMore = (1n << 28n) | (1n << 27n) | (1n << 10n) | (1n << 11n);
/** Above every other role. */
const top = 99;

export const guildSteps = {
  adminUnlink: {
    weight: 2,
    tell: ({ person, guild }) => `an admin unlinks ${person} in ${guild}`,
    async act(stage, { guild, person }) {
      const { status } = await askOwner(stage, guild, 'DELETE', `/members/${person.id}/link`);
      if (status !== 204) return;
      guild.blocked.add(person.id);
      guild.provenHere.delete(person.id);
      guild.consents.delete(person.id);
    },
  },
  addMapping: {
    weight: 3,
    tell: ({ guild, role, group, value }) =>
      `${guild} maps ${nameOf(conditionOf(value, group))} to ${role}${keeps(value)}`,
    act: (stage, { guild, roleId, groupId, value }) => {
      const wish = { nickname: nicknameOf(value), removeWhenUnmatched: value % 7 !== 6 };
      const rule = { condition: conditionOf(value, groupId), roleIds: [roleId], ...wish };
      return addMapping(stage, guild, fitting(rule));
    },
  },
  editMapping: {
    weight: 3,
    tell: ({ guild, role, group, value }) =>
      `${guild} edits mapping ${value} (${nameOf(conditionOf(value, group))}, ${role})`,
    act: editMapping,
  },
  removeMapping: {
    weight: 2,
    tell: ({ guild, value }) => `${guild} removes mapping ${value}`,
    async act(stage, { guild, value }) {
      const mapping = guild.mappings[value % Math.max(1, guild.mappings.length)];
      if (mapping === undefined) return;
      const { status } = await askOwner(stage, guild, 'DELETE', `/mappings/${mapping.mappingId}`);
      if (status === 204) guild.mappings = guild.mappings.filter((each) => each !== mapping);
    },
  },
  changeSettings: {
    weight: 3,
    tell: ({ guild, person, group, value }) =>
      `${guild} sets ${JSON.stringify(settingOf({ value, roleId: 'Plain', groupId: group, gameUserId: person }))}`,
    async act(stage, { guild, person: { gameUserId }, groupId, value }) {
      const setting = settingOf({ value, roleId: guild.unmappedRoleId, groupId, gameUserId });
      const settings = { ...guild.settings, ...setting };
      const { status } = await askOwner(stage, guild, 'PUT', '/settings', settings);
      if (status !== 200) return;
      guild.settings = settings;
      if (settings.reveal === 'auto') guild.unseen.clear();
    },
  },
  giveRole: {
    weight: 3,
    tell: ({ person, guild, role, value }) =>
      `an admin gives ${person} ${value % 3 ? role : 'the unmapped role'} in ${guild}`,
    act: (stage, choice) => setRoles(stage, choice, (roleIds, roleId) => [...new Set([...roleIds, roleId])]),
  },
  takeRole: {
    weight: 3,
    tell: ({ person, guild, role, value }) =>
      `an admin takes ${value % 3 ? role : 'the unmapped role'} from ${person} in ${guild}`,
    act: (stage, choice) => setRoles(stage, choice, (roleIds, roleId) => roleIds.filter((id) => id !== roleId)),
  },
  setNickname: {
    weight: 1,
    tell: ({ person, guild }) => `an admin renames ${person} in ${guild}`,
    act({ discord }, { guild, person, value }) {
      if (discord.member(guild.guildId, person.id)) discord.setNickname(guild.guildId, person.id, `Other ${value}`);
    },
  },
  moveRole: {
    weight: 2,
    tell: ({ guild, role, value }) => `${role} of ${guild} goes ${value % 2 ? 'above the bot' : 'down'}`,
    act({ discord }, { guild, roleId, value }) {
      if (isThere({ discord }, guild, roleId)) discord.moveRole(guild.guildId, roleId, value % 2 ? top : 1);
    },
  },
  moveBot: {
    weight: 2,
    tell: ({ guild, value }) => `the bot of ${guild} goes ${value % 3 ? 'up' : 'down'}`,
    act({ discord }, { guild: { guildId }, value }) {
      if (hasBot(discord, guildId)) discord.moveRole(guildId, discord.botRole(guildId).id, value % 3 ? top : 1);
    },
  },
  permitBot: {
    weight: 1,
    tell: ({ guild, value }) =>
      `the bot of ${guild} ${value % 3 ? 'may' : 'may not'} manage roles${value % 3 && value % 2 ? ' and kick' : ''}`,
    act({ discord }, { guild: { guildId }, value }) {
      const permissions = value % 3 ? manageRolesAndMore | (value % 2 ? kickMembers : 0n) : 0n;
      if (hasBot(discord, guildId)) discord.updateRole(guildId, discord.botRole(guildId).id, { permissions });
    },
  },
  deleteRole: {
    weight: 1,
    tell: ({ guild, role }) => `${role} of ${guild} is deleted`,
    act({ discord }, { guild, roleId }) {
      if (isThere({ discord }, guild, roleId)) discord.deleteRole(guild.guildId, roleId);
    },
  },
  endanger: {
    weight: 1,
    tell: ({ guild, role, value }) => `${role} of ${guild} ${value % 2 ? 'may' : 'may not'} kick people`,
    act({ discord }, { guild, roleId, value }) {
      const permissions = value % 2 ? kickMembers : 0n;
      if (isThere({ discord }, guild, roleId)) discord.updateRole(guild.guildId, roleId, { permissions });
    },
  },
  kickBot: {
    weight: 1,
    tell: ({ guild }) => `the bot is kicked from ${guild}`,
    act({ discord }, { guild: { guildId } }) {
      if (hasBot(discord, guildId)) discord.removeBot(guildId);
    },
  },
  inviteBot: {
    weight: 3,
    tell: ({ guild, value }) => `the bot comes back to ${guild}${value % 4 ? ', on top' : ''}`,
    act({ discord }, { guild: { guildId }, value }) {
      if (hasBot(discord, guildId)) return;
      discord.addBot(guildId);
      if (value % 4) discord.moveRole(guildId, discord.botRole(guildId).id, top);
    },
  },
  suspend: {
    weight: 1,
    tell: ({ guild }) => `${guild} is suspended`,
    act: (stage, { guild }) => setSuspended(stage, guild, true),
  },
  unsuspend: {
    weight: 2,
    tell: ({ guild }) => `${guild} is suspended no more`,
    act: (stage, { guild }) => setSuspended(stage, guild, false),
  },
  resync: {
    weight: 2,
    tell: ({ guild }) => `${guild} is resynced`,
    act: (stage, { guild }) => askOwner(stage, guild, 'POST', '/resync', {}),
  },
  resyncMember: {
    weight: 2,
    tell: ({ person, guild }) => `${person} is resynced in ${guild}`,
    act(stage, { guild, person }) {
      stage.unawaited.push(askOwner(stage, guild, 'POST', `/members/${person.id}/resync`, {}));
    },
  },
  removeGroup: {
    weight: 0.3,
    tell: ({ group }) => `${group} is deleted on Roblox`,
    act({ roblox }, { groupId }) {
      if (roblox.ranksOf(groupId, '') !== null) roblox.removeGroup(groupId);
    },
  },
} satisfies Record<string, StepKind>;

/** A whole-group mapping has no roles of its own. Its matches depend on role names, so it gives no nickname here. */
const fitting = <Rule extends { condition: Condition; roleIds: string[] }>(rule: Rule): Rule =>
  rule.condition.type === 'group_roles' ? { ...rule, roleIds: [], nickname: null } : rule;

/** Every third mapping gives one; with the same order there is one template only. */
const nicknameOf = (value: number) =>
  value % 3 === 0 ? { template: `${value % 10} {gameUsername}`, order: 1 + (value % 10) } : null;

/** Every kind of condition, some with more weight: the compiler asks for a new one. */
function conditionOf(value: number, groupId: string): Condition {
  const officers: Condition = { type: 'group_rank', groupId, min: 100, max: 255 };
  const members: Condition = { type: 'group_member', groupId };
  const level: Condition = { type: 'fact', key: 'level', atLeast: 10 };
  const ofType: Record<Exclude<Condition['type'], 'group_role'>, Condition[]> = {
    group_member: [members, members],
    group_rank: [officers, officers],
    verified: [{ type: 'verified' }],
    unverified: [{ type: 'unverified' }],
    group_roles: [{ type: 'group_roles', groupId, match: 'name' }],
    premium: [{ type: 'premium' }],
    account_age: [{ type: 'account_age', days: 365 }],
    owns_item: [mappedItem],
    fact: [level, { type: 'fact', key: 'level', atLeast: 5, atMost: 15 }, { type: 'fact', key: 'clan', is: 'Red' }],
    all: [
      { type: 'all', of: [{ type: 'verified' }, { type: 'not', of: members }] },
      { type: 'all', of: [members, { type: 'not', of: mappedItem }] },
      { type: 'all', of: [members, level] },
    ],
    any: [{ type: 'any', of: [officers, { type: 'unverified' }] }],
    not: [{ type: 'not', of: level }],
  };
  const choices = Object.values(ofType).flat();
  return choices[value % choices.length] ?? members;
}

const nameOf = (condition: Condition): string => {
  if ('groupId' in condition) return `${condition.type} of ${condition.groupId}`;
  if (condition.type === 'fact')
    return `${condition.key} ${condition.is ?? `${condition.atLeast} to ${condition.atMost ?? 'any'}`}`;
  if (!('of' in condition)) return condition.type;
  const parts = Array.isArray(condition.of) ? condition.of : [condition.of];
  return `${condition.type}(${parts.map(nameOf).join(', ')})`;
};

const keeps = (value: number): string => (value % 7 === 6 ? ', never taken' : '');

/** The setting that a number stands for, with its value. */
function settingOf(
  wish: { value: number } & Record<'roleId' | 'groupId' | 'gameUserId', string>,
): Partial<GuildSettings> {
  const { value, roleId, groupId, gameUserId } = wish;
  const on = Math.floor(value / 4) % 3 > 0;
  const template = on ? '{gameUsername}' : '{chatUsername} is {gameUsername}';
  const choices: Partial<GuildSettings>[] = [
    { autoLinkOnJoin: on },
    { mode: on ? 'enforce' : 'observe' },
    // Nobody, or one person or two an hour: far fewer than lose roles in a script.
    { massRemoval: { people: 1 + (value % 3), sharePercent: on ? 1 : 30 } },
    { reveal: on ? 'auto' : 'ask' },
    { nickname: { enabled: on, template: '{gameUsername}' } },
    { nickname: { enabled: true, template } },
    { unlink: { removeRoles: on, resetNickname: on } },
    { bypass: { keepRoles: on ? [roleId] : [], keepNickname: [] } },
    { bypass: { keepRoles: [], keepNickname: on ? [roleId] : [] } },
    restrictionsOf(on ? { minimumAccountAgeDays: 365 } : {}, value),
    restrictionsOf(on ? { requiredGroupIds: [groupId] } : {}, value),
    restrictionsOf(on ? { deniedGroupIds: [groupId] } : {}, value),
    restrictionsOf(on ? { deniedGameUserIds: [gameUserId] } : {}, value),
  ];
  return choices[value % choices.length] ?? {};
}

/** One in four kicks. */
const restrictionsOf = (wish: Partial<Restrictions>, value: number): Partial<GuildSettings> => {
  const action = Math.floor(value / 16) % 4 === 0 ? 'kick' : 'refuse_roles';
  return { restrictions: { ...noRestrictions, ...wish, action } };
};

async function editMapping(stage: Stage, { guild, roleId, groupId, value }: Choice): Promise<void> {
  const mapping = guild.mappings[value % Math.max(1, guild.mappings.length)];
  if (mapping === undefined) return;
  const { mappingId, ...before } = mapping;
  const edits = [
    { enabled: !mapping.enabled },
    { removeWhenUnmatched: !mapping.removeWhenUnmatched },
    { condition: conditionOf(value, groupId) },
    { roleIds: [...new Set([...mapping.roleIds, roleId])] },
    { roleIds: [roleId] },
    { nickname: nicknameOf(value) },
  ];
  const edited = { ...before, ...edits[value % edits.length] };
  const after = fitting({ ...edited, roleIds: edited.roleIds.length > 0 ? edited.roleIds : [roleId] });
  const { status } = await askOwner(stage, guild, 'PUT', `/mappings/${mappingId}`, after);
  if (status === 200) Object.assign(mapping, after);
}

function setRoles(
  { discord }: Stage,
  { guild, person, roleId, value }: Choice,
  change: (roleIds: string[], roleId: string) => string[],
): void {
  const { guildId, unmappedRoleId } = guild;
  const id = value % 3 ? roleId : unmappedRoleId;
  const member = discord.member(guildId, person.id);
  if (member && isThere({ discord }, guild, id)) discord.setMemberRoles(guildId, person.id, change(member.roleIds, id));
}

const isThere = ({ discord }: Pick<Stage, 'discord'>, { guildId }: StageGuild, roleId: string): boolean =>
  discord.roles(guildId).some(({ id }) => id === roleId);

export async function setSuspended({ service, admin }: Stage, guild: StageGuild, suspended: boolean): Promise<void> {
  const path = `/api/admin/guilds/${guild.guildId}/${suspended ? 'suspend' : 'unsuspend'}`;
  const { status } = await service.ask(admin, 'POST', path, { reason: 'A test.' });
  if (status === 200) guild.suspended = suspended;
}
