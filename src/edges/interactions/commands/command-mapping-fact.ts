import type { CommandInteractionOptionResolver, SlashCommandSubcommandBuilder } from 'discord.js';
import type { Condition } from '../../../features/mappings/condition.js';
import {
  type FactCondition,
  type FactValue,
  factKey,
  factNumber,
  longestFact,
  wantedValue,
} from '../../../features/mappings/reported-facts.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { typedValue } from '../../../lib/typed-value.js';

type Options = Pick<CommandInteractionOptionResolver, 'getString' | 'getNumber'>;

/** The options of a fact, in place of which other kinds have a group. */
export function addFactOptions(command: SlashCommandSubcommandBuilder, required: boolean): void {
  command.addStringOption((option) =>
    option.setName('fact').setDescription(t('option.fact')).setRequired(required).setMaxLength(32),
  );
}

/** The options of its value. Required options of the command stand before them. */
export function addFactValueOptions(command: SlashCommandSubcommandBuilder): void {
  command
    .addStringOption((option) =>
      option
        .setName('is')
        .setDescription(t('option.fact_is'))
        .setMaxLength(longestFact + 2),
    )
    .addNumberOption((option) => option.setName('at_least').setDescription(t('option.fact_at_least')))
    .addNumberOption((option) => option.setName('at_most').setDescription(t('option.fact_at_most')));
}

/** The first option about a fact that is given; undefined if none is. */
export const givenFactOption = (options: Options): string | undefined =>
  ['fact', 'is'].find((name) => options.getString(name) !== null) ??
  ['at_least', 'at_most'].find((name) => options.getNumber(name) !== null);

/** `before` supplies omitted options. Throws InvalidRequest, which names the option. */
export function readFactCondition(options: Options, before?: Condition): FactCondition {
  const kept = before?.type === 'fact' ? before : undefined;
  const key = options.getString('fact')?.trim() ?? kept?.key;
  if (key === undefined) throw fault('fact', t('option.fact_key_needed'));
  if (!factKey.safeParse(key).success) throw fault('fact', t('option.fact_name'));
  const text = options.getString('is');
  const [atLeast, atMost] = [options.getNumber('at_least'), options.getNumber('at_most')];
  requireNumbers({ at_least: atLeast, at_most: atMost });
  const isRange = atLeast !== null || atMost !== null;
  if (text !== null && isRange) throw fault('is', t('option.fact_needed'));
  if (text !== null) return { type: 'fact', key, is: exactValue(text) };
  if (!isRange && kept !== undefined) return { ...kept, key };
  if (!isRange) throw fault('is', t('option.fact_needed'));
  const [least, most] = [atLeast ?? kept?.atLeast, atMost ?? kept?.atMost];
  if (least !== undefined && most !== undefined && least > most)
    throw fault(atMost === null ? 'at_least' : 'at_most', t('option.fact_bounds'));
  return {
    ...{ type: 'fact', key },
    ...(least !== undefined && { atLeast: least }),
    ...(most !== undefined && { atMost: most }),
  };
}

/** Discord lets people type one that no fact can have. */
function requireNumbers(bounds: Record<string, number | null>): void {
  for (const [name, bound] of Object.entries(bounds))
    if (bound !== null && !factNumber.safeParse(bound).success)
      throw fault(name, t('option.fact_number', { most: String(Number.MAX_SAFE_INTEGER) }));
}

function exactValue(text: string): FactValue {
  const value = wantedValue.safeParse(typedValue(text));
  if (!value.success) throw fault('is', t('option.fact_value', { longest: longestFact }));
  return value.data;
}

const fault = (path: string, message: string): InvalidRequest => new InvalidRequest([{ path, message }]);
