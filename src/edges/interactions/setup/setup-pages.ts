import { isDeepStrictEqual } from 'node:util';
import { channelMention } from 'discord.js';
import { findGroups } from '../../../core/groups/group-service.js';
import { groupIdsOfTemplate } from '../../../core/settings/nickname-template.js';
import { gameOf } from '../../../features/accounts/account-in-use.js';
import { describeCondition } from '../../../features/mappings/describe-condition.js';
import { listMembers } from '../../../features/members/member-list.js';
import type { Member } from '../../../features/members/member-service.js';
import { outcomeOf, type SetupOutcome } from '../../../features/setup/setup-outcome.js';
import {
  changeSetup,
  openSetup,
  ranksBeside,
  type Setup,
  type SetupStep,
} from '../../../features/setup/setup-service.js';
import { renderNickname } from '../../../features/sync/plan/nickname.js';
import { previewSync } from '../../../features/sync/preview/preview-service.js';
import { GamePlatformUnavailable } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { readGuildFacts, readGuildFactsAfresh } from '../../../platforms/discord/guild-facts.js';
import { otherBots } from '../../../platforms/discord/other-bots.js';
import { gameOAuthEnabled } from '../../../platforms/roblox/game-oauth.js';
import { readMemberships } from '../../../platforms/roblox/memberships.js';
import type { Entrance } from '../commands/command-access.js';
import { dashboardLink, guildPage } from '../dashboard-link.js';
import type { Reply } from '../replies/reply.js';
import { dangerLine, rolesInWords } from '../replies/reply-lists.js';
import {
  groupPage,
  headingLine,
  methodsLine,
  nicknameLine,
  panelPage,
  placePage,
  placeProblems,
  ranksPage,
  summaryPage,
  verifiedPage,
} from '../replies/reply-setup.js';

const mostExamples = 3;

/**
 * Starts or resumes a guild's setup at its last step. `channelId`: the request's channel. Throws as `showStep` does.
 */
export async function resumeSetup({ guild, actor }: Entrance, channelId: string | null): Promise<Reply> {
  const setup = await openSetup(guild, channelId);
  const isBegun = setup.step !== 'place';
  const step = isBegun || placeProblems(await readGuildFacts(guild._id)).length > 0 ? setup.step : 'group';
  return showStep({ guild, actor }, setup, step);
}

/**
 * Shows a setup step with `notes` above it, and stores it as the current step. Throws as `previewSync` does for the
 * last step, and ChatPlatformUnavailable.
 */
export async function showStep(
  entrance: Entrance,
  known: Setup,
  step: SetupStep,
  notes: readonly string[] = [],
): Promise<Reply> {
  const setup = known.step === step ? known : await changeSetup(known.guildId, { step });
  switch (step) {
    case 'place':
      return showPlace(entrance, setup);
    case 'group':
      return groupPage(await findGroups(setup.guildId), notes);
    case 'ranks':
      return showRanks(entrance, setup, notes);
    case 'verified':
      return verifiedPage(setup, await readGuildFactsAfresh(setup.guildId), await nicknameExamples(setup), notes);
    case 'panel':
      return panelPage(setup, gameOAuthEnabled());
    case 'summary':
      return showSummary(entrance, setup, notes);
  }
}

/** The setup continues when the bot has no more obstacles. */
async function showPlace(entrance: Entrance, setup: Setup): Promise<Reply> {
  const facts = await readGuildFactsAfresh(setup.guildId);
  const problems = placeProblems(facts);
  return problems.length > 0 ? placePage(problems) : showStep(entrance, setup, 'group', [t('setup.place_fine')]);
}

async function showRanks(entrance: Entrance, setup: Setup, notes: readonly string[]): Promise<Reply> {
  // The gateway may not have reported newly created roles yet.
  const facts = await readGuildFactsAfresh(setup.guildId);
  const beside = await ranksBeside(setup, facts);
  return beside === null ? showStep(entrance, setup, 'group', notes) : ranksPage(setup, beside, facts, notes);
}

/** The chosen template applied to linked members; empty while Roblox does not answer. */
async function nicknameExamples({ guildId, nickname: { enabled, template } }: Setup): Promise<string[]> {
  if (!enabled) return [];
  const { data } = await listMembers(guildId, { status: 'linked', sort: '-linkedAt', limit: mostExamples });
  if (data.length === 0) return [t('setup.no_examples')];
  try {
    return await Promise.all(data.map((member) => nicknameExample(member, template)));
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return [];
    throw error;
  }
}

async function nicknameExample(member: Member, template: string): Promise<string> {
  const { chatUsername, gameUserId = '' } = member;
  const game = gameOf(member) ?? { gameUserId, gameUsername: chatUsername, gameDisplayName: chatUsername };
  const ranks = (await readMemberships(gameUserId, groupIdsOfTemplate(template))) ?? new Map();
  const nickname = renderNickname(template, { game, chatUsername, ranks });
  return t('setup.example', { name: verbatim(chatUsername), nickname: verbatim(nickname) });
}

async function showSummary({ guild, actor }: Entrance, setup: Setup, notes: readonly string[]): Promise<Reply> {
  const outcome = await outcomeOf(setup, actor);
  const { mappings, settings, key, facts } = outcome;
  const preview = await previewSync(guild, actor, { mappings, settings: settings.after });
  const shown = { key, preview, total: guild.memberCount, bots: otherBots(facts) };
  return summaryPage(shown, [...notes, ...changeLines(setup, outcome)], dashboardLink(guildPage(guild._id)));
}

/** The writes that applying a setup would make, one per line. */
function changeLines({ channelId, panel }: Setup, { added, groups, settings, dangers }: SetupOutcome): string[] {
  const mapped = added.map(({ draft: { condition }, roleIds }) => {
    const words = verbatim(describeCondition(condition, groups));
    if (condition.type !== 'group_roles')
      return t('setup.will_map', { condition: words, roles: rolesInWords(roleIds) });
    return `${t('setup.will_map_group', { condition: words, count: roleIds.length })}: ${rolesInWords(roleIds)}`;
  });
  const { before, after } = settings;
  const renames = !isDeepStrictEqual(before.nickname, after.nickname);
  const proves = !isDeepStrictEqual(before.verification.methods, after.verification.methods);
  return [
    ...mapped,
    ...dangers.map(dangerLine),
    ...(renames ? [nicknameLine(after.nickname)] : []),
    ...(proves ? [methodsLine(after.verification.methods)] : []),
    ...(channelId === null ? [] : [t('setup.will_post', { channel: channelMention(channelId) }), headingLine(panel)]),
  ];
}
