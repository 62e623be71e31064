import {
  type APIButtonComponent,
  type APIStringSelectComponent,
  ButtonStyle,
  ComponentType,
  TimestampStyles,
  time,
  userMention,
} from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-model.js';
import type { AnsweredRequest } from '../../../features/ranking/join-request-answers.js';
import { type AskingPerson, mostRequestPages, type NumberedRequests } from '../../../features/ranking/join-requests.js';
import type { RequestDecision } from '../../../features/ranking/rank-change-model.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { refusalWords } from '../../../lib/translate-refusal.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { componentId } from '../component-id.js';
import { list, note, pressButton, type Reply, rowOf, type StateColor } from './reply.js';
import { gameAccount } from './reply-account.js';
import { short } from './reply-rank.js';

/** As many ids as a custom id holds. */
export const mostChosen = 5;

/** A page of the people asking to join a group, with a menu to choose some of them. */
export function requestList(group: LinkedGroup, page: NumberedRequests): Reply {
  const { people, number, hasMore } = page;
  if (people.length === 0) return note('neutral', t('requests.none', { group: verbatim(group.name) }));
  const isLast = number >= mostRequestPages;
  const lines = [...people.map(lineOf), ...(hasMore && isLast ? [t('requests.more')] : [])];
  const reply = list(t('requests.title', { group: verbatim(group.name) }), lines);
  const buttons = [
    ...(number > 1 ? [pageButton(group, number - 1, 'list.previous')] : []),
    ...(hasMore && !isLast ? [pageButton(group, number + 1, 'list.next')] : []),
  ];
  return { ...reply, components: [...rowOf([choice(group, people)]), ...rowOf(buttons)] };
}

/** The page stands in the button by its number: tokens of Roblox are too long for one. */
const pageButton = ({ groupId }: LinkedGroup, number: number, words: TextKey): APIButtonComponent =>
  pressButton(componentId('requests-list', groupId, String(number)), t(words), ButtonStyle.Secondary);

function choice({ groupId }: LinkedGroup, people: readonly AskingPerson[]): APIStringSelectComponent {
  return {
    type: ComponentType.StringSelect,
    custom_id: componentId('requests-choose', groupId),
    placeholder: t('requests.choose'),
    min_values: 1,
    max_values: Math.min(mostChosen, people.length),
    options: people.map((person) => ({ label: short(nameOf(person)), value: person.gameUserId })),
  };
}

/** Requests before they are answered, with a button for each decision. */
export function requestQuestion(
  group: LinkedGroup,
  people: readonly AskingPerson[],
  decisions: readonly RequestDecision[],
): Reply {
  const { groupId, name } = group;
  const back = listButton(groupId);
  if (people.length === 0) return note('attention', t('requests.not_asking', { group: verbatim(name) }), [back]);
  const ids = people.map(({ gameUserId }) => gameUserId);
  const buttons = decisions.map((decision) =>
    pressButton(
      componentId('requests-answer', groupId, decision, ...ids),
      t(`requests.${decision}`),
      decision === 'accept' ? ButtonStyle.Primary : ButtonStyle.Danger,
    ),
  );
  const words = t('requests.question', { group: verbatim(name) });
  return note('attention', [words, ...people.map(lineOf)].join('\n'), [...buttons, back]);
}

/** The result of each request. */
export function answeredReply(
  { groupId, name }: LinkedGroup,
  results: readonly (AnsweredRequest & { gameUsername: string })[],
): Reply {
  const group = verbatim(name);
  const lines = results.map((one) => {
    const account = gameAccount(one);
    if (one.result === 'refused') return `${account}: ${refusalWords(one.refusal)}`;
    return t(`requests.${one.result}`, { account, group });
  });
  const isDone = results.every(({ result }) => result === 'accepted' || result === 'declined');
  const state: StateColor = isDone ? 'fine' : 'attention';
  return note(state, lines.join('\n'), [listButton(groupId)]);
}

/** The server ranks in several groups, and none was named. */
export const groupNeeded = (groups: readonly LinkedGroup[]): Reply =>
  note(
    'attention',
    t('requests.which_group', {
      groups: groups.map(({ name, groupId }) => `${verbatim(name)} (${groupId})`).join(', '),
    }),
  );

const listButton = (groupId: string) =>
  pressButton(componentId('requests-list', groupId), t('requests.list'), ButtonStyle.Secondary);

/** The account, its age, the time of the request, and the member that shows it here. */
function lineOf(person: AskingPerson): string {
  const { gameUserId, account, requestedAt, member } = person;
  const created = account === null ? '?' : time(account.createdAt, TimestampStyles.RelativeTime);
  const words = t('requests.line', {
    account: gameAccount({ gameUserId, gameUsername: nameOf(person) }),
    created,
    asked: time(requestedAt, TimestampStyles.RelativeTime),
  });
  return member === null ? words : `${words} · ${userMention(member.chatUserId)}`;
}

const nameOf = ({ gameUserId, account }: AskingPerson): string => account?.gameUsername ?? gameUserId;
