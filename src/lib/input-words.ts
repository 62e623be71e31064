import { z } from 'zod';
import { type TextKey, t } from './translate.js';

/** The expected types as text, by zod's names for them. */
const typeWords: Readonly<Record<string, TextKey>> = {
  string: 'input.text',
  number: 'input.number',
  int: 'input.whole_number',
  boolean: 'input.true_or_false',
  array: 'input.list',
  object: 'input.object',
  record: 'input.object',
};

type Sizes = Readonly<Record<string, TextKey>>;
const tooSmall: Sizes = { string: 'input.text_short', array: 'input.list_short', number: 'input.number_low' };
const tooBig: Sizes = { string: 'input.text_long', array: 'input.list_long', number: 'input.number_high' };

/** The only message table for invalid input; undefined if the schema has its own. */
function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys' && issue.code !== 'custom' && issue.input === undefined) {
    return t('input.missing');
  }
  switch (issue.code) {
    case 'invalid_type':
      return t(typeWords[issue.expected] ?? 'input.unfit');
    case 'invalid_value':
      return choiceOf(issue.values);
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int') return t('input.empty');
      return sizeOf(tooSmall, issue.origin, issue.minimum);
    case 'too_big':
      return sizeOf(tooBig, issue.origin, issue.maximum);
    case 'unrecognized_keys':
      return t('input.unknown');
    case 'invalid_format':
      return t(issue.format === 'datetime' ? 'input.time' : 'input.unfit');
    case 'invalid_union':
      if (isMissing(issue)) return t('input.missing');
      return 'options' in issue && Array.isArray(issue.options) ? choiceOf(issue.options) : t('input.unfit');
    default:
      return t('input.unfit');
  }
}

const sizeOf = (words: Sizes, origin: string, count: number | bigint): string =>
  t(words[origin === 'int' ? 'number' : origin] ?? 'input.unfit', { count: Number(count) });

function choiceOf(values: readonly unknown[]): string {
  return t('input.choice', { choices: values.map(String).join(', ') });
}

/** Whether a discriminated union's deciding field is missing. */
function isMissing({ discriminator, input }: z.core.$ZodRawIssue & { code: 'invalid_union' }): boolean {
  return typeof discriminator === 'string' && input !== null && typeof input === 'object' && !(discriminator in input);
}

// zod's own messages mention its types ("expected array, received undefined"), and only in English.
z.config({ customError: wordsOf });
