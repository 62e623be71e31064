import type { AnySelectMenuInteraction, ButtonInteraction, SlashCommandSubcommandBuilder } from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-model.js';
import { getGroup, groupNotFound } from '../../../core/groups/group-service.js';
import { answerJoinRequests } from '../../../features/ranking/join-request-answers.js';
import { findJoinRequests, joinRequestsOnPage } from '../../../features/ranking/join-requests.js';
import type { RequestDecision } from '../../../features/ranking/rank-change-model.js';
import { nameOf, rankingGroupsOf } from '../../../features/ranking/rank-preview.js';
import { lineOfText } from '../../../lib/fields.js';
import { gameId } from '../../../lib/ids.js';
import { t } from '../../../lib/translate.js';
import { findGameUserByName } from '../../../platforms/roblox/game-user-search.js';
import type { Press } from '../press.js';
import { note, type Reply } from '../replies/reply.js';
import { withReason } from '../replies/reply-rank.js';
import { answeredReply, groupNeeded, mostChosen, requestList, requestQuestion } from '../replies/reply-requests.js';
import type { Entrance } from './command-access.js';
import type { CommandUse } from './command-in-guild.js';
import { asRanker } from './command-rank.js';

const reasonText = lineOfText(200);
const longestUsername = 20;
const both: readonly RequestDecision[] = ['accept', 'decline'];

export function addRequestListOptions(command: SlashCommandSubcommandBuilder): void {
  command.addStringOption((option) =>
    option.setName('group').setDescription(t('option.rank_group')).setAutocomplete(true),
  );
}

export function addAnswerOptions(command: SlashCommandSubcommandBuilder): void {
  command.addStringOption((option) =>
    option
      .setName('account')
      .setDescription(t('option.requests_account'))
      .setMaxLength(longestUsername)
      .setRequired(true),
  );
  addRequestListOptions(command);
  command.addStringOption((option) =>
    option.setName('reason').setDescription(t('option.rank_reason')).setMaxLength(200),
  );
}

/** /requests list. */
export async function listByCommand(use: CommandUse): Promise<Reply> {
  const group = await groupNamed(use);
  return Array.isArray(group) ? groupNeeded(group) : listOf(use, group, 1);
}

/** Another page of the list, or the first one once more after an answer. */
export async function listAgain(press: Press<ButtonInteraction>): Promise<Reply> {
  const [groupId = '', page] = press.state;
  return listOf(press, await getGroup(press.guild._id, groupId), Number(page));
}

async function listOf(entrance: Entrance, group: LinkedGroup, page: number): Promise<Reply> {
  const { guild } = entrance;
  return requestList(group, await joinRequestsOnPage(guild, await asRanker(entrance), group.groupId, page));
}

/** /requests accept and decline: the request is shown before it is answered. */
export const answerByCommand =
  (decision: RequestDecision) =>
  async (use: CommandUse): Promise<Reply> => {
    const group = await groupNamed(use);
    if (Array.isArray(group)) return groupNeeded(group);
    const account = await findGameUserByName(use.options.getString('account') ?? '');
    if (account === null) return note('attention', t('rank.account_unknown'));
    const people = await findJoinRequests(use.guild, await asRanker(use), group.groupId, [account.gameUserId]);
    const reason = reasonText.safeParse(use.options.getString('reason') ?? '').data;
    return withReason(requestQuestion(group, people, [decision]), reason);
  };

/** People of the list were chosen. */
export async function chooseRequests(press: Press<AnySelectMenuInteraction>): Promise<Reply> {
  const { interaction, guild, state } = press;
  const [groupId = ''] = state;
  const chosen = idsIn(interaction.values);
  const people = await findJoinRequests(guild, await asRanker(press), groupId, chosen);
  return requestQuestion(await getGroup(guild._id, groupId), people, both);
}

/** The answer was given. Requests that are gone meanwhile stay as they are. */
export async function confirmAnswer(press: Press<ButtonInteraction>): Promise<Reply> {
  const { interaction, guild, state } = press;
  const [groupId = '', word, ...ids] = state;
  const decision: RequestDecision = word === 'accept' ? 'accept' : 'decline';
  const results = await answerJoinRequests(guild, await asRanker(press), {
    ...{ groupId, decision, gameUserIds: idsIn(ids), door: 'discord' },
    reason: reasonText.safeParse(interaction.message.embeds[0]?.footer?.text).data,
  });
  const named = results.map(async (one) => ({ ...one, gameUsername: await nameOf(one.gameUserId, null) }));
  return answeredReply(await getGroup(guild._id, groupId), await Promise.all(named));
}

const idsIn = (values: readonly string[]): string[] =>
  [...new Set(values.filter((value) => gameId.safeParse(value).success))].slice(0, mostChosen);

/** The named group in which the author ranks, or the only one; all of them where several are possible. */
async function groupNamed(use: CommandUse): Promise<LinkedGroup | LinkedGroup[]> {
  const groups = await rankingGroupsOf(use.guild, await asRanker(use));
  const wanted = use.options.getString('group');
  const [only, another] = wanted === null ? groups : groups.filter(({ groupId }) => groupId === wanted);
  if (only === undefined) throw groupNotFound();
  return another === undefined ? only : groups;
}
