import type {
  CommandInteractionOptionResolver,
  SlashCommandIntegerOption,
  SlashCommandSubcommandBuilder,
} from 'discord.js';
import { z } from 'zod';
import { type Condition, highestRank, longestAgeDays } from '../../features/mappings/condition.js';
import type { GameItem } from '../../features/mappings/game-traits.js';
import { type MappingDraft, mappingDraft } from '../../features/mappings/mapping-draft.js';
import { InvalidRequest } from '../../lib/errors.js';
import { gameId } from '../../lib/ids.js';
import { t } from '../../lib/translate.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import { type ItemKind, parseItemReference } from '../../platforms/roblox/game-inventory.js';
import { limitText } from './command-limits.js';
import { addNicknameOptions, readNickname } from './command-mapping-nickname.js';

/** The conditions that a command can express. Composite conditions (`all`, `any`, `not`) need the API. */
const kinds = [
  'verified',
  'unverified',
  'group_member',
  'group_rank',
  'group_role',
  'group_roles',
  'premium',
  'account_age',
  'owns_badge',
  'owns_game_pass',
  'owns_asset',
] as const;
const kind = z.enum(kinds);
const moreRoles = ['role2', 'role3', 'role4', 'role5'];
/** Rank 0 means outside the group, so no group member has it. */
const lowestRank = 1;

type Options = Pick<CommandInteractionOptionResolver, 'getString' | 'getInteger' | 'getBoolean' | 'getRole'>;

export function addMappingOption(command: SlashCommandSubcommandBuilder): SlashCommandSubcommandBuilder {
  return command.addStringOption((mapping) =>
    mapping.setName('mapping').setDescription(t('option.mapping')).setRequired(true).setAutocomplete(true),
  );
}

export function addMappingOptions(command: SlashCommandSubcommandBuilder): SlashCommandSubcommandBuilder {
  command
    .addStringOption((option) =>
      option
        .setName('type')
        .setDescription(t('option.type'))
        .setRequired(true)
        .addChoices(kinds.map((value) => ({ name: t(`option.type.${value}`), value }))),
    )
    .addRoleOption((option) => option.setName('role').setDescription(t('option.role')))
    .addStringOption((option) =>
      option.setName('group').setDescription(t('option.mapped_group')).setAutocomplete(true),
    );
  command.addIntegerOption((option) => rankOption(option).setName('rank_min').setDescription(t('option.rank_min')));
  command.addIntegerOption((option) => rankOption(option).setName('rank_max').setDescription(t('option.rank_max')));
  command.addStringOption((option) =>
    option.setName('game_role').setDescription(t('option.game_role')).setAutocomplete(true),
  );
  command
    .addIntegerOption((option) =>
      option.setName('days').setDescription(t('option.days')).setMinValue(1).setMaxValue(longestAgeDays),
    )
    .addStringOption((option) => option.setName('item').setDescription(t('option.item')).setMaxLength(200));
  for (const name of moreRoles) {
    command.addRoleOption((option) => option.setName(name).setDescription(t('option.more_roles')));
  }
  addNicknameOptions(command);
  return command
    .addBooleanOption((option) =>
      option.setName('remove_when_unmatched').setDescription(t('option.remove_when_unmatched')),
    )
    .addStringOption((option) =>
      limitText(option.setName('name').setDescription(t('option.name')), mappingDraft.shape.name.unwrap().unwrap()),
    );
}

const rankOption = (option: SlashCommandIntegerOption) => option.setMinValue(lowestRank).setMaxValue(highestRank);

/** Reads the mapping that /mapping add describes. Throws InvalidRequest, which names the invalid option. */
export function readMappingDraft(options: Options): MappingDraft {
  const roles = ['role', ...moreRoles].flatMap((name) => options.getRole(name)?.id ?? []);
  const condition = readCondition(options);
  if (roles.length === 0 && condition.type !== 'group_roles') throw optionFault('role', t('option.role_needed'));
  const draft = mappingDraft.safeParse({
    condition,
    roleIds: [...new Set(roles)],
    name: options.getString('name'),
    nickname: readNickname(options) ?? null,
    removeWhenUnmatched: options.getBoolean('remove_when_unmatched') ?? true,
  });
  if (draft.success) return draft.data;
  throw new InvalidRequest(draft.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function readCondition(options: Options): Condition {
  const type = kind.parse(options.getString('type', true));
  switch (type) {
    case 'verified':
    case 'unverified':
      return { type };
    case 'group_member':
      return { type, groupId: readGroupId(options) };
    case 'group_rank': {
      const [min, max] = [options.getInteger('rank_min'), options.getInteger('rank_max')];
      if (min === null && max === null) throw optionFault('rank_min', t('option.rank_needed'));
      return { type, groupId: readGroupId(options), min: min ?? lowestRank, max: max ?? highestRank };
    }
    case 'group_roles':
      return { type, groupId: readGroupId(options), match: 'name' };
    case 'group_role':
      return { type, groupId: readGroupId(options), gameRoleId: readGameRoleId(options) };
    case 'premium':
      return { type };
    case 'account_age':
      return { type, days: readDays(options) };
    case 'owns_badge':
    case 'owns_game_pass':
    case 'owns_asset':
      return { type: 'owns_item', ...readItem(options, ownedKinds[type]) };
  }
}

const ownedKinds = { owns_badge: 'badge', owns_game_pass: 'game_pass', owns_asset: 'asset' } as const;

function readDays(options: Options): number {
  const days = options.getInteger('days');
  if (days === null) throw optionFault('days', t('option.days_needed'));
  return days;
}

function readItem(options: Options, kind: ItemKind): GameItem {
  const id = parseItemReference(options.getString('item') ?? '');
  if (id === null) throw optionFault('item', t('option.item_needed'));
  return { kind, id };
}

function readGroupId(options: Options): string {
  const groupId = parseGameGroupReference(options.getString('group') ?? '');
  if (groupId === null) throw optionFault('group', t('option.group_needed'));
  return groupId;
}

function readGameRoleId(options: Options): string {
  const gameRoleId = gameId.safeParse(options.getString('game_role'));
  if (!gameRoleId.success) throw optionFault('game_role', t('option.game_role_needed'));
  return gameRoleId.data;
}

const optionFault = (path: string, message: string): InvalidRequest => new InvalidRequest([{ path, message }]);
