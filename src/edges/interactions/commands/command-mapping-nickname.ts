import type { CommandInteractionOptionResolver, SlashCommandSubcommandBuilder } from 'discord.js';
import type { MappingDraft } from '../../../features/mappings/mapping-draft.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { isNone } from './command-settings-options.js';

type Options = Pick<CommandInteractionOptionResolver, 'getString' | 'getInteger'>;

const usualOrder = 100;

export function addNicknameOptions(command: SlashCommandSubcommandBuilder): void {
  command
    .addStringOption((option) =>
      option.setName('nickname_template').setDescription(t('option.nickname_for')).setMaxLength(200),
    )
    .addIntegerOption((option) =>
      option.setName('nickname_order').setDescription(t('option.nickname_order')).setMinValue(1).setMaxValue(1000),
    );
}

/**
 * The nickname that the options set: null removes it, undefined leaves it unchanged. `before`: the edited mapping's
 * nickname. Throws InvalidRequest for an order without a nickname.
 */
export function readNickname(
  options: Options,
  before: MappingDraft['nickname'] = null,
): MappingDraft['nickname'] | undefined {
  const template = options.getString('nickname_template');
  const order = options.getInteger('nickname_order');
  if (template === null && order === null) return undefined;
  if (template !== null && isNone(template)) return null;
  const wanted = template ?? before?.template;
  if (wanted === undefined)
    throw new InvalidRequest([{ path: 'nickname_order', message: t('option.nickname_needed') }]);
  return { template: wanted, order: order ?? before?.order ?? usualOrder };
}
