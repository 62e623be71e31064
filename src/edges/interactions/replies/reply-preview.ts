import { roleMention, userMention } from 'discord.js';
import { holds, type TeamRole } from '../../../core/actors/team-roles.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import type { PlannedMember } from '../../../features/sync/plan/guild-plan.js';
import { refusedNicknameOf } from '../../../features/sync/plan/plan.js';
import type { Preview } from '../../../features/sync/preview/preview-service.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { describeObstacle } from '../../../platforms/discord/role-hierarchy.js';
import { componentId } from '../component-id.js';
import { list, note, pressButton, type Reply } from './reply.js';
import { nicknameObstacle, observingLine } from './reply-sync.js';

const mostMembers = 10;
const mostReasons = 5;

/** A preview's parts that were read. `total`: the approximate member count. */
export interface ReadPreview extends Pick<Preview, 'previewId' | 'members' | 'summary' | 'warnings'> {
  isWhole: boolean;
  total: number;
}

/**
 * Describes a preview: the changes per member, warnings, and obstacles with their remedies. The button applies exactly
 * these; in a server that observes it also goes live, which takes an admin (OBS-12). Throws ChatPlatformUnavailable.
 */
export async function previewReply(guildId: string, preview: ReadPreview, role: TeamRole | null): Promise<Reply> {
  const { previewId, members, summary } = preview;
  const settings = await readSettings(guildId);
  const { mode } = settings;
  const words = [...observingLine(settings), ...summaryLines(preview), ...(await blockedLines(guildId, preview))];
  const apply = pressButton(componentId('preview-apply', previewId), t('preview.apply'));
  const live = pressButton(componentId('go-live', previewId), t('move.live'));
  const isWanted = mode === 'observe' ? holds(role, 'admin') : holds(role, 'manager') && summary.changed > 0;
  const buttons = isWanted ? [mode === 'observe' ? live : apply] : [];
  const changing = members.filter(({ plan }) => changesOf(plan).length > 0);
  const state = summary.blocked > 0 || preview.warnings.length > 0 ? 'attention' : 'neutral';
  const message = note(state, words.join('\n'), buttons);
  if (changing.length === 0) return message;
  const lines = changing.slice(0, mostMembers).map(memberLine);
  const more = summary.changed - lines.length;
  if (more > 0) lines.push(t('preview.more', { count: more }));
  return { ...message, embeds: [...message.embeds, ...list(t('preview.members'), lines, [], state).embeds] };
}

function summaryLines({ summary, warnings, isWhole, total }: ReadPreview): string[] {
  const { checked, changed, adding, removing, renamed, unknown } = summary;
  const counts = t('preview.summary', { checked, changed, adding, removing, renamed });
  return [
    changed === 0 ? t('preview.nothing', { checked }) : counts,
    ...(isWhole ? [] : [t('preview.part', { checked, total })]),
    ...(unknown === 0 ? [] : [t('preview.unknown', { unknown })]),
    ...warnings.map(({ detail }) => t('preview.warning', { warning: verbatim(detail) })),
  ];
}

/** Each reason once, regardless of the member count. */
async function blockedLines(guildId: string, { members, summary }: ReadPreview): Promise<string[]> {
  if (summary.blocked === 0) return [];
  const facts = await readGuildFacts(guildId);
  const reasons = members.flatMap(({ plan }) => [
    ...plan.blocked.map(({ roleId, reason, detail }) => verbatim(describeObstacle(facts, roleId, reason, detail))),
    ...nicknameObstacle({ ...plan, nicknameRefused: refusedNicknameOf(plan) }),
  ]);
  const shown = [...new Set(reasons)].slice(0, mostReasons);
  return [t('preview.blocked', { blocked: summary.blocked }), ...shown.map((reason) => `- ${reason}`)];
}

function memberLine({ member, gameUsername, plan }: PlannedMember): string {
  const names = [member.username, gameUsername].filter((name) => name !== null).map((name) => verbatim(name));
  const person = `${userMention(member.chatUserId)} (${names.join(', ')})`;
  return t('preview.member', { person, changes: changesOf(plan).join(', ') });
}

function changesOf({ add, remove, nickname, kick }: PlannedMember['plan']): string[] {
  return [
    ...(kick === undefined ? [] : [t('preview.kicked')]),
    ...(add.length > 0 ? [t('preview.gets', { roles: mentions(add) })] : []),
    ...(remove.length > 0 ? [t('preview.loses', { roles: mentions(remove) })] : []),
    ...(nickname === null ? [t('preview.unnamed')] : []),
    ...(typeof nickname === 'string' ? [t('preview.named', { nickname: verbatim(nickname) })] : []),
  ];
}

const mentions = (roleIds: readonly string[]): string => roleIds.map((id) => roleMention(id)).join(', ');
