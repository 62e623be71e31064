import type { CommandInteractionOptionResolver, SlashCommandSubcommandBuilder } from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-service.js';
import { type Condition, highestRank } from '../../../features/mappings/condition.js';
import { type MappingDraft, mappingDraft } from '../../../features/mappings/mapping-draft.js';
import type { Mapping } from '../../../features/mappings/mapping-service.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { parseGameGroupReference } from '../../../platforms/roblox/game-groups.js';
import { limitText } from './command-limits.js';
import { addFactOptions, addFactValueOptions, givenFactOption, readFactCondition } from './command-mapping-fact.js';
import { addNicknameOptions, readNickname } from './command-mapping-nickname.js';

export const kindOfCommand = {
  rank: 'group_rank',
  role: 'group_role',
  member: 'group_member',
  verified: 'verified',
  group: 'group_roles',
  fact: 'fact',
} as const;
type MappingCommandName = keyof typeof kindOfCommand;
type Kind = (typeof kindOfCommand)[MappingCommandName];

type Options = Pick<
  CommandInteractionOptionResolver,
  'getString' | 'getInteger' | 'getNumber' | 'getBoolean' | 'getRole'
>;

const moreRoles = ['role2', 'role3', 'role4', 'role5'];

/** Each condition type's options. The first one in each list is required. */
const optionsOf = {
  group_rank: ['from', 'to', 'group'],
  group_role: ['game_role', 'group'],
  group_member: ['group'],
  verified: [],
  group_roles: ['group'],
  fact: [],
} as const satisfies Record<Kind, readonly string[]>;

const describedBy = {
  from: 'option.rank_from',
  to: 'option.rank_to',
  game_role: 'option.game_role',
  group: 'option.group_or_only',
} as const satisfies Record<string, TextKey>;
type ConditionOption = keyof typeof describedBy;

function addConditionOption(command: SlashCommandSubcommandBuilder, name: ConditionOption, required = false): void {
  command.addStringOption((option) =>
    option.setName(name).setDescription(t(describedBy[name])).setRequired(required).setAutocomplete(true),
  );
}

export function addKindOptions(command: SlashCommandSubcommandBuilder, name: MappingCommandName): void {
  const kind = kindOfCommand[name];
  const [first, ...others] = optionsOf[kind];
  const isNeeded = first === 'from' || first === 'game_role';
  if (first !== undefined && isNeeded) addConditionOption(command, first, true);
  if (kind === 'fact') addFactOptions(command, true);
  if (kind !== 'group_roles') {
    command.addRoleOption((option) => option.setName('role').setDescription(t('option.given_role')).setRequired(true));
  }
  if (kind === 'fact') addFactValueOptions(command);
  for (const other of first === undefined || isNeeded ? others : [first, ...others]) addConditionOption(command, other);
  addCommonOptions(command, kind !== 'group_roles');
}

/** Adds the options of /mapping edit. Omitted options keep their value. */
export function addEditOptions(command: SlashCommandSubcommandBuilder): void {
  command.addStringOption((option) =>
    option
      .setName('type')
      .setDescription(t('option.type'))
      .addChoices(Object.values(kindOfCommand).map((value) => ({ name: t(`option.type.${value}`), value }))),
  );
  for (const name of ['from', 'to', 'game_role', 'group'] as const) addConditionOption(command, name);
  addFactOptions(command, false);
  addFactValueOptions(command);
  command.addRoleOption((option) => option.setName('role').setDescription(t('option.instead_role')));
  addCommonOptions(command, true);
  command.addBooleanOption((option) => option.setName('no_name').setDescription(t('option.no_name')));
}

function addCommonOptions(command: SlashCommandSubcommandBuilder, takesRoles: boolean): void {
  for (const name of takesRoles ? moreRoles : []) {
    command.addRoleOption((option) => option.setName(name).setDescription(t('option.more_roles')));
  }
  addNicknameOptions(command);
  command
    .addBooleanOption((option) =>
      option.setName('remove_when_unmatched').setDescription(t('option.remove_when_unmatched')),
    )
    .addStringOption((option) =>
      limitText(option.setName('name').setDescription(t('option.name')), mappingDraft.shape.name.unwrap().unwrap()),
    );
}

/**
 * Reads the mapping that /mapping rank, role, member, verified, group or fact describes. Throws InvalidRequest, which
 * names the option.
 */
export function readKindDraft(options: Options, kind: Kind, groups: readonly LinkedGroup[]): MappingDraft {
  return parsed({
    condition: readCondition(options, kind, groups),
    roleIds: rolesIn(options),
    name: options.getString('name'),
    nickname: readNickname(options) ?? null,
    removeWhenUnmatched: options.getBoolean('remove_when_unmatched') ?? true,
  });
}

/** Applies the options of /mapping edit to a mapping. Throws InvalidRequest, which names the option. */
export function readEdit(options: Options, before: Mapping, groups: readonly LinkedGroup[]): Partial<MappingDraft> {
  const wanted = options.getString('type');
  const kind = Object.values(kindOfCommand).find((each) => each === (wanted ?? before.condition.type));
  const ofGroup = Object.keys(describedBy).filter((name) => options.getString(name) !== null);
  const ofFact = givenFactOption(options);
  const given = [...ofGroup, ...(ofFact === undefined ? [] : [ofFact])];
  const change: Partial<MappingDraft> = {};
  if (wanted !== null || given.length > 0) {
    if (kind === undefined) throw fault(given[0] ?? 'type', t('mapping.edit_of_parts'));
    const known: readonly string[] = optionsOf[kind];
    const unfit = ofGroup.find((name) => !known.includes(name)) ?? (kind === 'fact' ? undefined : ofFact);
    if (unfit !== undefined) throw fault(unfit, t('option.edit_unfit'));
    change.condition = readCondition(options, kind, groups, before.condition);
  }
  const roleIds = rolesIn(options);
  if (roleIds.length > 0) change.roleIds = roleIds;
  else if (change.condition?.type === 'group_roles') change.roleIds = [];
  const name = options.getString('name');
  const isUnnamed = options.getBoolean('no_name') ?? false;
  if (name !== null && isUnnamed) throw fault('no_name', t('option.name_or_none'));
  if (name !== null || isUnnamed) change.name = name;
  const nickname = readNickname(options, before.nickname);
  if (nickname !== undefined) change.nickname = nickname;
  const removes = options.getBoolean('remove_when_unmatched');
  if (removes !== null) change.removeWhenUnmatched = removes;
  if (Object.keys(change).length === 0) throw fault('mapping', t('option.edit_nothing'));
  const { condition, roleIds: held } = before;
  const { roleIds: after } = parsed({ condition, roleIds: held, ...change });
  return { ...change, roleIds: after };
}

const rolesIn = (options: Options): string[] => [
  ...new Set(['role', ...moreRoles].flatMap((name) => options.getRole(name)?.id ?? [])),
];

function parsed(input: unknown): MappingDraft {
  const draft = mappingDraft.safeParse(input);
  if (draft.success) return draft.data;
  throw new InvalidRequest(draft.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

/** `before` supplies omitted options if it is about the same group. */
function readCondition(options: Options, type: Kind, groups: readonly LinkedGroup[], before?: Condition): Condition {
  if (type === 'verified') return { type };
  if (type === 'fact') return readFactCondition(options, before);
  const group = groupOf(options.getString('group'), groups, before);
  const { groupId } = group;
  const [from, to, gameRole] = (['from', 'to', 'game_role'] as const).map((name) => options.getString(name));
  switch (type) {
    case 'group_member':
      return { type, groupId };
    case 'group_roles':
      return { type, groupId, match: 'name' };
    case 'group_role':
      if (gameRole == null && before?.type === type && before.groupId === groupId) return before;
      return { type, groupId, gameRoleId: gameRoleOf(gameRole ?? '', group) };
    case 'group_rank': {
      const kept = before?.type === type ? before : { min: null, max: highestRank };
      const min = from == null ? kept.min : rankOf('from', from, group);
      if (min === null) throw fault('from', t('option.rank_from_needed'));
      return { type, groupId, min, max: to == null ? kept.max : rankOf('to', to, group) };
    }
  }
}

/** Finds a group by id, address or name. Without a text: the mapping's group, or the server's only group. */
function groupOf(text: string | null, groups: readonly LinkedGroup[], before?: Condition): LinkedGroup {
  const groupId =
    text === null
      ? before !== undefined && 'groupId' in before
        ? before.groupId
        : null
      : parseGameGroupReference(text);
  const named = text === null ? undefined : byName(groups, text);
  const [only, another] = groups;
  const isOnly = text === null && groupId === null && another === undefined;
  const found = groups.find((group) => group.groupId === groupId) ?? named ?? (isOnly ? only : undefined);
  if (found !== undefined) return found;
  throw fault('group', t(groups.length === 0 ? 'option.no_group_yet' : 'option.group_needed'));
}

function rankOf(option: 'from' | 'to', text: string, { name, roles }: LinkedGroup): number {
  const rank = /^\d{1,3}$/.test(text.trim()) ? Number(text) : byName(roles.filter(isHeld), text)?.rank;
  if (rank !== undefined && rank <= highestRank) return rank;
  throw fault(option, t('option.rank_unknown', { group: name }));
}

function gameRoleOf(text: string, { name, roles }: LinkedGroup): string {
  const role = roles.find(({ gameRoleId }) => gameRoleId === text) ?? byName(roles.filter(isHeld), text);
  if (role === undefined) throw fault('game_role', t('option.rank_unknown', { group: name }));
  return role.gameRoleId;
}

/** Rank 0 means outside the group. */
const isHeld = ({ rank }: { rank: number }): boolean => rank > 0;

/** The only entry with this name, ignoring case. */
function byName<T extends { name: string }>(all: readonly T[], text: string): T | undefined {
  const [found, another] = all.filter(({ name }) => name.trim().toLowerCase() === text.trim().toLowerCase());
  return another === undefined ? found : undefined;
}

const fault = (path: string, message: string): InvalidRequest => new InvalidRequest([{ path, message }]);
