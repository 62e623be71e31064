import { ButtonStyle, inlineCode, roleMention, userMention } from 'discord.js';
import { importSourceInWords } from '../../../features/accounts/import-source-words.js';
import type { ImportEffects } from '../../../features/people-import/people-effects.js';
import type { PeopleReview } from '../../../features/people-import/people-import-draft.js';
import type { ImportRow, PeopleImport } from '../../../features/people-import/people-import-model.js';
import type { ImportDetails } from '../../../features/people-import/people-import-service.js';
import type { UndoProgress } from '../../../features/people-import/people-import-undo.js';
import { isUndoable, leftReason, viewPeopleImport } from '../../../features/people-import/people-import-view.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { otherBotsLine } from '../other-bots-question.js';
import { card, pressButton, type Reply, rowOf, type StateColor } from './reply.js';
import { moveButton } from './reply-move.js';

const mostProblems = 10;

const outcomes = [
  ...['imported', 'known', 'unknown', 'contradicting'],
  ...['refused', 'not_in_server', 'not_found'],
] as const satisfies readonly (keyof PeopleImport['counts'])[];

/** At least one minute, also for a shorter wait. */
const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));

/** How a review is shown: with a remark, and whether the person has chosen between observing and applying. */
export interface ReviewShown {
  remark?: string;
  isChosen?: boolean;
}

export function peopleReview({ proposed, key }: PeopleReview, { remark, isChosen = false }: ReviewShown = {}): Reply {
  const { source, new: count, seconds, known, contradicting, refused, not_in_server } = proposed;
  const { effects, observing, otherBots } = proposed;
  const would =
    source === 'list'
      ? t('people.would', { count })
      : t('people.would_ask', { bot: importSourceInWords(source), count });
  const asks = key !== null && otherBots.length > 0 && !observing && !isChosen;
  const lines = [
    ...(remark === undefined ? [] : [remark]),
    [would, ...(count > 0 ? [t('people.takes', { minutes: minutesOf(seconds) })] : [])].join(' '),
    ...(count > 0 ? [t('people.nobody_acts'), ...effectLines(effects)] : []),
    ...(observing ? [t('people.observing')] : []),
    ...countLines({ known, contradicting, refused, not_in_server }),
    ...(asks ? [otherBotsLine(otherBots.map(({ name }) => name))] : []),
  ];
  const buttons = key === null ? [] : asks ? wayButtons(key) : importButtons(key, count);
  return card(t('people.title'), lines, key === null || asks ? 'attention' : 'fine', rowOf(buttons));
}

const wayButtons = (key: string) => [
  pressButton(componentId('people-way', key, 'observe'), t('people.observe_first')),
  pressButton(componentId('people-way', key, 'now'), t('people.apply_now'), ButtonStyle.Secondary),
];

const importButtons = (key: string, count: number) => [
  pressButton(componentId('people-apply', key), t('import.apply', { count })),
  pressButton(componentId('people-apply', key, 'keep'), t('people.keep_nicknames'), ButtonStyle.Secondary),
];

const effectsOnPeople = ['lose', 'kicked', 'gain', 'renamed'] as const;
const mostRoles = 10;

function effectLines(effects: ImportEffects): string[] {
  if (effects.state === 'planning') return [t('people.planning')];
  if (effects.state === 'unknown') return [t(`people.unknown_${effects.reason}`)];
  const { roles, people, unknown, ...counts } = effects.found;
  const named = effectsOnPeople.flatMap((what) =>
    counts[what] > 0 ? [`- ${t(`people.${what}`, { count: counts[what] })}`] : [],
  );
  const open = unknown > 0 ? [`- ${t('people.open', { count: unknown })}`] : [];
  if (named.length + open.length === 0) return [t('people.no_effect')];
  const examples = people.map(
    ({ member, gameUsername }) => `${userMention(member.chatUserId)} → ${verbatim(gameUsername ?? '–')}`,
  );
  const more = roles.length - mostRoles;
  return [
    ...named,
    ...open,
    ...roles
      .slice(0, mostRoles)
      .map(({ roleId, gain, lose }) => `- ${t('people.role_effect', { role: roleMention(roleId), gain, lose })}`),
    ...(more > 0 ? [t('import.more', { count: more })] : []),
    ...(examples.length > 0 ? [t('people.for_example', { people: examples.join(', ') })] : []),
  ];
}

/**
 * The progress of a people import or its undo, or its result, with the pairs that were left out. `isMoving`: the server
 * is on its way from another bot, and its steps are offered.
 */
export function peopleProgress(
  details: ImportDetails,
  { remark, isMoving = false }: { remark?: string | undefined; isMoving?: boolean },
): Reply {
  const { found, problems, undo } = details;
  const { _id: importId, state, counts, total, fault } = found;
  const { etaSeconds } = viewPeopleImport(details);
  const left = etaSeconds === null ? [] : [t('people.left', { minutes: minutesOf(etaSeconds) })];
  const lines = [
    ...(remark === undefined ? [] : [remark]),
    `**${t(`people.${state}`)}**`,
    [t('people.done', { done: counts.done, total }), ...left].join(' '),
    ...(fault === undefined ? [] : [`⚠️ ${t(`people.fault_${fault}`)}`]),
    ...countLines(counts),
    ...(state === 'running' ? [] : problemLines(problems)),
    ...(undo === null ? [] : undoLines(found, undo)),
  ];
  const { Secondary } = ButtonStyle;
  const cancel = pressButton(componentId('people-cancel', importId), t('resync.cancel'), Secondary);
  const takeBack = pressButton(componentId('people-undo', importId), t('change.undo'), Secondary);
  const ended = isUndoable(found) && counts.imported > 0 ? [takeBack] : [];
  const buttons = state === 'running' ? [cancel] : [...(isMoving ? [moveButton()] : []), ...ended];
  return card(t('people.title'), lines, colors[state], rowOf(buttons));
}

function undoLines({ open }: PeopleImport, { taken, left }: UndoProgress): string[] {
  const state = open === true ? ('running' as const) : ('completed' as const);
  const kept = left.slice(0, mostProblems).flatMap(({ chatUserId, undone }) => {
    const reason = leftReason.safeParse(undone).data;
    return reason === undefined ? [] : [`- ${userMention(chatUserId)}: ${t(`people.left_${reason}`)}`];
  });
  const more = left.length - kept.length;
  return [
    `**${t(`people.undo_state_${state}`, { done: taken })}**`,
    ...(kept.length > 0 ? [t('people.undo_left'), ...kept] : []),
    ...(more > 0 ? [t('import.more', { count: more })] : []),
  ];
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
