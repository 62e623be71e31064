import type { CommandInteractionOptionResolver, SlashCommandSubcommandBuilder } from 'discord.js';
import { z } from 'zod';
import { type Condition, longestAgeDays } from '../../../features/mappings/condition.js';
import type { GameItem } from '../../../features/mappings/game-traits.js';
import { type MappingDraft, mappingDraft } from '../../../features/mappings/mapping-draft.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { type ItemKind, parseItemReference } from '../../../platforms/roblox/game-inventory.js';
import { limitText } from './command-limits.js';
import { addNicknameOptions, readNickname } from './command-mapping-nickname.js';

/**
 * The choices of /mapping add for each condition kind: none where the kind has its own command (`kindOfCommand`), or is
 * made from others and needs the API.
 */
const choicesOf = {
  verified: [],
  unverified: ['unverified'],
  group_member: [],
  group_rank: [],
  group_role: [],
  group_roles: [],
  premium: ['premium'],
  account_age: ['account_age'],
  owns_item: ['owns_badge', 'owns_game_pass', 'owns_asset'],
  fact: [],
  all: [],
  any: [],
  not: [],
} as const satisfies Readonly<Record<Condition['type'], readonly string[]>>;
const kinds = Object.values(choicesOf).flat();
const kind = z.enum(kinds);
const moreRoles = ['role2', 'role3', 'role4', 'role5'];

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
    .addRoleOption((option) => option.setName('role').setDescription(t('option.given_role')).setRequired(true));
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

/** Reads the mapping that /mapping add describes. Throws InvalidRequest, which names the invalid option. */
export function readMappingDraft(options: Options): MappingDraft {
  const roles = ['role', ...moreRoles].flatMap((name) => options.getRole(name)?.id ?? []);
  const draft = mappingDraft.safeParse({
    condition: readCondition(options),
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
    case 'unverified':
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

const optionFault = (path: string, message: string): InvalidRequest => new InvalidRequest([{ path, message }]);
