import { ButtonStyle, inlineCode, userMention } from 'discord.js';
import { importSourceInWords } from '../../features/accounts/import-source-words.js';
import type { PeopleReview } from '../../features/people-import/people-import-draft.js';
import type { ImportRow, PeopleImport } from '../../features/people-import/people-import-model.js';
import { msPerPair } from '../../features/people-import/people-import-review.js';
import { viewPeopleImport } from '../../features/people-import/people-import-view.js';
import { t } from '../../lib/translate.js';
import { componentId } from './component-id.js';
import { card, pressButton, type Reply, rowOf, type StateColor } from './reply.js';

const mostProblems = 10;

const outcomes = [
  ...['imported', 'known', 'unknown', 'contradicting'],
  ...['refused', 'not_in_server', 'not_found'],
] as const satisfies readonly (keyof PeopleImport['counts'])[];

/** At least one minute, also for a shorter wait. */
const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

export function peopleReview({ proposed, key }: PeopleReview, remark?: string): Reply {
  const { source, new: count, seconds, known, contradicting, refused, not_in_server } = proposed;
  const would =
    source === 'list'
      ? t('people.would', { count })
      : t('people.would_ask', { bot: importSourceInWords(source), count });
  const lines = [
    ...(remark === undefined ? [] : [remark]),
    [would, ...(count > 0 ? [t('people.takes', { minutes: minutesOf(seconds) })] : [])].join(' '),
    ...countLines({ known, contradicting, refused, not_in_server }),
  ];
  const buttons = key === null ? [] : [pressButton(componentId('people-apply', key), t('import.apply', { count }))];
  return card(t('people.title'), lines, key === null ? 'attention' : 'fine', rowOf(buttons));
}

/** The progress of an import of people, or its result, with the pairs that were left out. */
export function peopleProgress(found: PeopleImport, problems: readonly ImportRow[], remark?: string): Reply {
  const { _id: importId, state, counts, total, fault } = found;
  const { etaSeconds } = viewPeopleImport(found, [], msPerPair(found.source));
  const left = etaSeconds === null ? [] : [t('people.left', { minutes: minutesOf(etaSeconds) })];
  const lines = [
    ...(remark === undefined ? [] : [remark]),
    `**${t(`people.${state}`)}**`,
    [t('people.done', { done: counts.done, total }), ...left].join(' '),
    ...(fault === undefined ? [] : [`⚠️ ${t(`people.fault_${fault}`)}`]),
    ...countLines(counts),
    ...(state === 'running' ? [] : problemLines(problems)),
  ];
  const cancel = pressButton(componentId('people-cancel', importId), t('resync.cancel'), ButtonStyle.Secondary);
  return card(t('people.title'), lines, colors[state], state === 'running' ? rowOf([cancel]) : []);
}

const colors: Readonly<Record<PeopleImport['state'], StateColor>> = {
  running: 'neutral',
  completed: 'fine',
  failed: 'trouble',
  cancelled: 'attention',
};

const countLines = (counts: Partial<PeopleImport['counts']>): string[] =>
  outcomes.flatMap((outcome) => {
    const count = counts[outcome] ?? 0;
    return count === 0 ? [] : [`- ${t(`people.count_${outcome}`)}: ${count}`];
  });

function problemLines(problems: readonly ImportRow[]): string[] {
  if (problems.length === 0) return [];
  const lines = problems
    .slice(0, mostProblems)
    .flatMap(({ chatUserId, gameUserId, problem }) =>
      problem === undefined
        ? []
        : [`- ${userMention(chatUserId)} ${inlineCode(gameUserId)}: ${t(`people.count_${problem}`)}`],
    );
  const more = problems.length - lines.length;
  return [t('people.problems'), ...lines, ...(more > 0 ? [t('import.more', { count: more })] : [])];
}
