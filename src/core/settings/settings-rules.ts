import { isDeepStrictEqual } from 'node:util';
import { AppError, InvalidRequest, type Issue, PlanLimitReached } from '../../lib/errors.js';
import { isInvisible } from '../../lib/invisible.js';
import { currentLocale, t } from '../../lib/translate.js';
import { type ChannelObstacle, channelObstacle } from '../../platforms/discord/guild-channels.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { readRecentKeyState } from '../../platforms/roblox/api-key.js';
import { gameOAuthEnabled } from '../../platforms/roblox/game-oauth.js';
import { checkGroups } from '../../platforms/roblox/group-checks.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import type { Actor } from '../actors/actor.js';
import { attachedGroupIds } from '../groups/linked-groups.js';
import type { Guild } from '../guilds/guild-model.js';
import { plans } from '../plans/plans.js';
import type { GuildSettings } from './guild-settings.js';
import { groupIdsOfTemplate, unknownPlaceholders } from './nickname-template.js';
import { requireMayKick } from './restrictions-reach.js';

/**
 * Checks the rules beyond the settings schema; `groupIds` replaces the currently attached groups. An unchanged value is
 * not checked, even if it has become invalid, so that other settings can change. Throws Forbidden without the kick
 * permission, InvalidRequest with every issue, and PlanLimitReached for too frequent resyncs. Throws
 * ChatPlatformUnavailable if the log channel or roles could not be read, and GamePlatformUnavailable if groups could
 * not.
 */
export async function requireMeaningful(
  guild: Guild,
  actor: Actor,
  before: GuildSettings,
  after: GuildSettings,
  groupIds?: readonly string[],
): Promise<void> {
  const differs = (read: (settings: GuildSettings) => unknown) => !isDeepStrictEqual(read(before), read(after));
  const issues = await Promise.all([
    differs(({ verification }) => verification.methods) ? methodIssues(before, after) : [],
    differs(({ nickname }) => nickname.template)
      ? templateIssues(after.nickname.template, groupIds ?? (await attachedGroupIds(guild._id)).all)
      : [],
    differs(({ bypass }) => bypass) ? bypassIssues(guild._id, before, after) : [],
    differs(({ logChannelId }) => logChannelId) ? channelIssues(guild._id, 'logChannelId', after.logChannelId) : [],
    differs(({ joinMessage }) => joinMessage) ? joinMessageIssues(guild._id, before, after) : [],
    differs(({ restrictions }) => restrictions) ? restrictionIssues(guild._id, before, after) : [],
    differs(({ universeIds }) => universeIds) ? universeIssues(before, after) : [],
  ]);
  if (differs(({ restrictions }) => restrictions)) await requireMayKick(guild._id, actor, after);
  if (issues.flat().length > 0) throw new InvalidRequest(issues.flat());
  if (differs(({ resync }) => resync.everyHours)) requireWithinPlan(guild, after.resync.everyHours);
}

function methodIssues(before: GuildSettings, { verification: { methods } }: GuildSettings): Issue[] {
  if (gameOAuthEnabled() || !methods.includes('oauth')) return [];
  const path = 'verification.methods';
  if (methods.length === 1) {
    return [{ path, message: t('input.oauth_only') }];
  }
  if (before.verification.methods.includes('oauth')) return [];
  return [{ path, message: t('input.oauth_off') }];
}

const nothingIsSeen = (): string => t('input.invisible');

/** No placeholder has this name; the known ones follow. */
const unknownPlaceholder = (name: string, known: readonly string[]): string =>
  t('input.placeholder', { name, known: new Intl.ListFormat(currentLocale()).format(known) });

const ofNicknames = ['{gameUsername}', '{gameDisplayName}', '{chatUsername}', '{groupRank:ID}', '{groupRole:ID}'];
const ofWelcomes = ['{member}', '{server}'];

/** A nickname template's problems at `path`: unknown placeholders and unattached groups. */
export function templateIssues(template: string, groupIds: readonly string[], path = 'nickname.template'): Issue[] {
  const unknown = unknownPlaceholders(template).map((name) => unknownPlaceholder(name, ofNicknames));
  const attached = new Set(groupIds);
  const foreign = new Set(groupIdsOfTemplate(template).filter((groupId) => !attached.has(groupId)));
  const absent = [...foreign].map((id) => t('input.group_not_here', { id }));
  const invisible = isInvisible(template) ? [nothingIsSeen()] : [];
  return [...unknown, ...absent, ...invisible].map((message) => ({ path, message }));
}

export const obstacleWords = (obstacle: ChannelObstacle): string => t(`input.${obstacle}`);

async function channelIssues(guildId: string, path: string, channelId: string | null): Promise<Issue[]> {
  const obstacle = channelId === null ? null : await channelObstacle(guildId, channelId);
  return obstacle === null ? [] : [{ path, message: obstacleWords(obstacle) }];
}

/** A channel already in the settings may be gone. */
function joinMessageIssues(guildId: string, before: GuildSettings, { joinMessage }: GuildSettings): Promise<Issue[]> {
  const { channelId, text } = joinMessage;
  const others = (text ?? '').replaceAll(/\{(member|server)\}/g, '').match(/\{\w*\}/g) ?? [];
  const unknown = others.map((name) => ({
    path: 'joinMessage.text',
    message: unknownPlaceholder(name, ofWelcomes),
  }));
  if (text !== null && isInvisible(text)) unknown.push({ path: 'joinMessage.text', message: nothingIsSeen() });
  const isNew = channelId !== before.joinMessage.channelId;
  return channelIssues(guildId, 'joinMessage.channelId', isNew ? channelId : null).then((issues) => [
    ...unknown,
    ...issues,
  ]);
}

/** Roles already in the settings may be gone. */
async function bypassIssues(guildId: string, before: GuildSettings, after: GuildSettings): Promise<Issue[]> {
  const { roles } = await readGuildFacts(guildId);
  return (['keepRoles', 'keepNickname'] as const).flatMap((kind) =>
    after.bypass[kind].flatMap((roleId, index) => {
      const isKnown = before.bypass[kind].includes(roleId) || (roles.has(roleId) && roleId !== guildId);
      return isKnown ? [] : { path: `bypass.${kind}.${index}`, message: t('input.no_role') };
    }),
  );
}

/** Groups already in the settings may be gone. */
async function restrictionIssues(guildId: string, before: GuildSettings, after: GuildSettings): Promise<Issue[]> {
  const added = (['requiredGroupIds', 'deniedGroupIds'] as const).flatMap((list) =>
    after.restrictions[list].flatMap((groupId, index) =>
      before.restrictions[list].includes(groupId) ? [] : { groupId, path: `restrictions.${list}.${index}` },
    ),
  );
  const { reason } = after.restrictions;
  const invisible =
    reason !== null && isInvisible(reason) ? [{ path: 'restrictions.reason', message: nothingIsSeen() }] : [];
  const { unknown } = await checkGroups(guildId, [...new Set(added.map(({ groupId }) => groupId))]);
  const absent = added.filter(({ groupId }) => unknown.includes(groupId));
  return [...invisible, ...absent.map(({ path }) => ({ path, message: t('input.no_group') }))];
}

/** Experiences already in the settings stay. While Roblox is away, new ones count as allowed. */
async function universeIssues(before: GuildSettings, after: GuildSettings): Promise<Issue[]> {
  const added = after.universeIds.flatMap((id, index) => (before.universeIds.includes(id) ? [] : { id, index }));
  if (added.length === 0) return [];
  const issueAt = (index: number, message: string): Issue => ({ path: `universeIds.${index}`, message });
  if (!hasOpenCloud()) return added.map(({ index }) => issueAt(index, t('input.universes_off')));
  const key = await readRecentKeyState().catch(unlessAway);
  const refused = key === null ? [] : added.filter(({ id }) => !key.maySendTo(id));
  return refused.map(({ index }) => issueAt(index, t('input.universe_not_allowed')));
}

function unlessAway(error: unknown): null {
  if (error instanceof AppError && error.kind === 'unavailable') return null;
  throw error;
}

/** Enforces the plan's resync interval (SET-5). */
function requireWithinPlan({ plan }: Guild, everyHours: number | null): void {
  const allowed = plans[plan].resyncEveryHours;
  if (everyHours === null || (allowed !== null && everyHours >= allowed)) return;
  const words =
    allowed === null
      ? `The plan ${plan} has no resyncs that run by themselves: leave it open how often.`
      : `The plan ${plan} resyncs every ${allowed} hours at most: choose ${allowed} or more, or leave it open.`;
  throw new PlanLimitReached(words, { resource: 'resync', limit: allowed ?? 0, plan });
}
