import type { Schemas } from '../../client/api-types.js';
import type { Words } from '../i18n/words.js';
import { Refusal, Unreachable } from './answer-errors.js';
import { LostPart } from './lost-part.js';

type Problem = Schemas['Problem'];

export const hasCode = (error: unknown, code: Problem['code']): error is Refusal =>
  error instanceof Refusal && error.code === code;

/** An error in words: the dashboard's, then the service's for the code, then its own English sentence. */
export function wordsOf(error: unknown, words: Words): string {
  if (error instanceof Unreachable) return words.t('refusal.unreachable');
  if (error instanceof LostPart) return words.t('refusal.lost_part');
  if (!(error instanceof Refusal)) return words.t('refusal.unknown');
  const { code, problem, retryAfterSeconds } = error;
  // "The request is not valid" is too general to help, so the sentences about its fields are shown.
  if (code === 'invalid_request' && problem.errors?.length) {
    return [...new Set(problem.errors.map((issue) => issueWords(issue, words)))].join(' ');
  }
  if (code === 'rate_limited') return words.t('refusal.rate_limited', { seconds: retryAfterSeconds ?? 60 });
  const key = `refusal.${code}`;
  if (words.has(key)) return words.t(key);
  return words.refusal(code, { ...problem }) ?? problem.detail ?? words.t('refusal.unknown');
}

type Issue = NonNullable<Problem['errors']>[number];

/** A field's problem after the field's name, where the pages have one: "People: must be at least 1." */
function issueWords({ path, message }: Issue, words: Words): string {
  const field = path.replace(/^(body|settings)\./, '').replace(/\.\d+$/, '');
  const name = [`setting.${field}`, `log_field.${field}`].find(words.has);
  const sentence = sentenceOf(message, words);
  return name === undefined ? sentence : `${words.t(name)}: ${sentence}`;
}

/** The API tells a field's problem as the end of a sentence: "must be at least 1". */
export function sentenceOf(message: string, { language }: Pick<Words, 'language'>): string {
  const begun = message.slice(0, 1).toLocaleUpperCase(language) + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** The failed request's id in the service: its operator finds it in the log. */
export const faultId = (error: unknown): string | undefined =>
  error instanceof Refusal && error.status >= 500 ? error.problem.requestId : undefined;

/** A body's problems by field path: `nickname.template`. */
export function fieldProblems(error: unknown, words: Pick<Words, 'language'>): Readonly<Record<string, string>> {
  if (!(error instanceof Refusal)) return {};
  const found = (error.problem.errors ?? []).map(({ path, message }) => [
    path.replace(/^body\./, '').replace(/\.\d+$/, ''),
    sentenceOf(message, words),
  ]);
  return Object.fromEntries(found);
}
