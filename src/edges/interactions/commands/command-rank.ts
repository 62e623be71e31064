import type { AnySelectMenuInteraction, ButtonInteraction, SlashCommandSubcommandBuilder } from 'discord.js';
import { membershipIn } from '../../../core/access/guild-access.js';
import type { LinkedGroup } from '../../../core/groups/group-model.js';
import { getGroup, groupNotFound } from '../../../core/groups/group-service.js';
import type { RankTarget } from '../../../features/ranking/rank-ladder.js';
import { offerRanks } from '../../../features/ranking/rank-offer.js';
import { nameOf, previewRank, rankingGroupsOf } from '../../../features/ranking/rank-preview.js';
import { changeRank, subjectOf } from '../../../features/ranking/rank-service.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { lineOfText } from '../../../lib/fields.js';
import { gameId } from '../../../lib/ids.js';
import { t } from '../../../lib/translate.js';
import { findGameUserByName } from '../../../platforms/roblox/game-user-search.js';
import type { Press } from '../press.js';
import { note, type Reply } from '../replies/reply.js';
import { groupChoice, rankChoice, rankedReply, rankQuestion, ranksShown, withReason } from '../replies/reply-rank.js';
import type { Entrance } from './command-access.js';
import type { CommandUse } from './command-in-guild.js';

const reasonText = lineOfText(200);
const longestUsername = 20;

/** The act that a command asks for: a step on the ladder, the choice of a rank, or only the present ranks. */
export type RankAct = 1 | -1 | 'choose' | 'show';

export const addRankOptions = (command: SlashCommandSubcommandBuilder) => addPersonOptions(command, true);
export const addShowOptions = (command: SlashCommandSubcommandBuilder) => addPersonOptions(command, false);

function addPersonOptions(command: SlashCommandSubcommandBuilder, withReasonOption: boolean) {
  command
    .addUserOption((option) => option.setName('member').setDescription(t('option.rank_member')))
    .addStringOption((option) =>
      option.setName('username').setDescription(t('option.rank_username')).setMaxLength(longestUsername),
    )
    .addStringOption((option) => option.setName('group').setDescription(t('option.rank_group')).setAutocomplete(true));
  if (!withReasonOption) return;
  command.addStringOption((option) =>
    option.setName('reason').setDescription(t('option.rank_reason')).setMaxLength(200),
  );
}

/** /rank set, promote, demote and show. */
export const rankByCommand =
  (act: RankAct) =>
  async (use: CommandUse): Promise<Reply> => {
    const groups = await rankingGroupsOf(use.guild, await asRanker(use));
    const gameUserId = await accountNamed(use);
    if (gameUserId === null) return note('attention', t('rank.account_unknown'));
    const reason = reasonText.safeParse(use.options.getString('reason') ?? '').data;
    const wanted = use.options.getString('group');
    const [only, another] = wanted === null ? groups : groups.filter(({ groupId }) => groupId === wanted);
    if (only === undefined) throw groupNotFound();
    if (another !== undefined) return withReason(groupChoice(groups, gameUserId, String(act)), reason);
    return withReason(await answerTo(use, only, gameUserId, act), reason);
  };

/** *Change rank…* in a person's context menu. */
export async function rankByMenu(entrance: Entrance, memberId: string): Promise<Reply> {
  const groups = await rankingGroupsOf(entrance.guild, await asRanker(entrance));
  const { gameUserId } = await subjectOf(entrance.guild, { memberId });
  const [only, another] = groups;
  if (only === undefined || another !== undefined) return groupChoice(groups, gameUserId, 'choose');
  return answerTo(entrance, only, gameUserId, 'choose');
}

/** The group was chosen. */
export async function chooseGroup(press: Press<AnySelectMenuInteraction>): Promise<Reply> {
  const { interaction, guild, state } = press;
  const [gameUserId = '', word = ''] = state;
  const groups = await rankingGroupsOf(guild, await asRanker(press));
  const group = groups.find(({ groupId }) => groupId === interaction.values[0]);
  if (group === undefined || !gameId.safeParse(gameUserId).success) throw groupNotFound();
  const act = word === '1' ? 1 : word === '-1' ? -1 : word === 'show' ? 'show' : 'choose';
  return withReason(await answerTo(press, group, gameUserId, act), reasonIn(interaction));
}

/** The new rank was chosen: it is shown before it is made. */
export async function chooseRank(press: Press<AnySelectMenuInteraction>): Promise<Reply> {
  const { interaction, guild, state } = press;
  const [groupId = '', gameUserId = ''] = state;
  const [gameRoleId = ''] = interaction.values;
  const wish = { groupId, person: { gameUserId }, target: { gameRoleId } };
  const preview = await previewRank(guild, await asRanker(press), wish);
  return withReason(rankQuestion(preview, gameRoleId), reasonIn(interaction));
}

/** The change was confirmed. It is refused where the person's highest role is another than the one shown. */
export async function confirmRank(press: Press<ButtonInteraction>): Promise<Reply> {
  const { interaction, guild, settings, state } = press;
  const [groupId = '', gameUserId = '', gameRoleId = '', seenGameRoleId] = state;
  const result = await changeRank(guild, await asRanker(press), {
    ...{ groupId, person: { gameUserId }, target: { gameRoleId }, seenGameRoleId, door: 'discord' },
    reason: reasonIn(interaction),
  });
  return rankedReply(await getGroup(guild._id, groupId), result, settings);
}

async function answerTo(entrance: Entrance, group: LinkedGroup, gameUserId: string, act: RankAct): Promise<Reply> {
  const { guild } = entrance;
  const actor = await asRanker(entrance);
  const person = { gameUserId };
  const { groupId } = group;
  if (act === 1 || act === -1) {
    const target: RankTarget = { step: act };
    const preview = await previewRank(guild, actor, { groupId, person, target });
    return rankQuestion(preview, preview.gameRoleId);
  }
  const offer = await offerRanks(guild, actor, { groupId, person });
  const { member } = await subjectOf(guild, person);
  const account = { gameUserId, gameUsername: await nameOf(gameUserId, member) };
  return act === 'show' ? ranksShown(group, account, offer.held) : rankChoice(group, account, offer);
}

/** The author with their rights. A member has their role in the team too: the rules of a group may name one. */
export async function asRanker({ guild, actor }: Entrance) {
  return { ...actor, role: (await membershipIn(actor, guild)).role };
}

/** The account of the named member or username; null where Roblox has none. */
async function accountNamed({ guild, options }: CommandUse): Promise<string | null> {
  const [member, username] = [options.getUser('member'), options.getString('username')];
  if ((member === null) === (username === null)) {
    throw new InvalidRequest([{ path: 'member', message: t('rank.one_person') }]);
  }
  if (member !== null) return (await subjectOf(guild, { memberId: member.id })).gameUserId;
  return (await findGameUserByName(username ?? ''))?.gameUserId ?? null;
}

const reasonIn = ({ message }: AnySelectMenuInteraction | ButtonInteraction): string | undefined =>
  reasonText.safeParse(message.embeds[0]?.footer?.text).data;
