import { Refusal } from '../api/answer-errors.js';
import type { Part } from '../api/ranking-queries.js';
import { wordsOf } from '../api/refusal.js';
import { useWords } from '../i18n/words-provider.js';

/** The words for the refusal of one part of a list, which tells no time to wait. */
export function usePartWords(): (refusal: Part['refusal']) => string {
  const words = useWords();
  return (refusal) =>
    refusal?.code === 'rate_limited'
      ? words.t('ranks.too_many')
      : wordsOf(refusal && new Refusal(409, refusal, undefined), words);
}
