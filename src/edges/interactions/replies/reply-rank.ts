import { type APISelectMenuOption, type APIStringSelectComponent, ComponentType, roleMention } from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-model.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { findMember } from '../../../features/members/member-service.js';
import type { RankOffer } from '../../../features/ranking/rank-offer.js';
import type { RankPreview } from '../../../features/ranking/rank-preview.js';
import type { RankResult } from '../../../features/ranking/rank-service.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { onOneLine, verbatim } from '../../../platforms/discord/channel-messages.js';
import type { GameRole } from '../../../platforms/roblox/game-groups.js';
import { componentId } from '../component-id.js';
import { note, pressButton, type Reply, rowOf } from './reply.js';
import { gameAccount } from './reply-account.js';
import { observingLine } from './reply-sync.js';

/** Discord's limits for the options of a select menu. */
const mostOptions = 25;
const longestOption = 100;

interface Account {
  gameUserId: string;
  gameUsername: string;
}

/** Which of a guild's groups the rank is in. `step`: 1, -1, or empty for a choice of the rank. */
export function groupChoice(groups: readonly LinkedGroup[], gameUserId: string, step: string): Reply {
  const options = groups.slice(0, mostOptions).map(({ groupId, name }) => ({ label: short(name), value: groupId }));
  return {
    ...note('neutral', t('rank.which_group')),
    components: rowOf([choose(componentId('rank-group', gameUserId, step), 'rank.group', options)]),
  };
}

/** The ranks that a person may give to an account. The menu knows the highest role that was shown. */
export function rankChoice(group: LinkedGroup, account: Account, { held, offered }: RankOffer): Reply {
  const [shown, inGroup, now] = [gameAccount(account), verbatim(group.name), roleNames(held)];
  if (offered.length === 0) return note('attention', t('rank.none', { account: shown, group: inGroup, now }));
  const options = nearest(offered, held[0]?.rank ?? 0).map((role) => ({
    label: short(t('why.rank', { name: role.name, rank: role.rank })),
    value: role.gameRoleId,
  }));
  const id = componentId('rank-choose', group.groupId, account.gameUserId);
  const words = t('rank.choose', { account: shown, group: inGroup, now });
  return { ...note('neutral', words), components: rowOf([choose(id, 'rank.new', options)]) };
}

/** The present roles of an account in a group. */
export const ranksShown = (group: LinkedGroup, account: Account, held: readonly GameRole[]): Reply =>
  note('neutral', t('rank.show', { account: gameAccount(account), group: verbatim(group.name), now: roleNames(held) }));

/** A change before the press. The button names the role to give, and the highest role that was shown. */
export function rankQuestion(preview: RankPreview, gameRoleId: string): Reply {
  const { group, gameUserId, before } = preview;
  const id = componentId('rank-change', group.groupId, gameUserId, gameRoleId, before[0]?.gameRoleId ?? '');
  const { added, removed, observing } = preview.discord ?? { added: [], removed: [], observing: false };
  const signed = [
    added.map((roleId) => `+ ${roleMention(roleId)}`),
    removed.map((roleId) => `− ${roleMention(roleId)}`),
  ];
  const lines = [changeWords('rank.change', preview), ...(observing ? [t('sync.observed')] : signed.flat())];
  return note('attention', lines.join('\n'), [pressButton(id, t('rank.yes'))]);
}

/** The answer about a change that was sent to Roblox, with the roles that followed on Discord. */
export async function rankedReply(
  { groupId, name }: LinkedGroup,
  { change, followed }: RankResult,
  settings: GuildSettings | null,
): Promise<Reply> {
  const group = { groupId, name };
  if (change.state === 'unknown') return note('attention', changeWords('rank.unknown', { ...change, group }));
  const lines = [changeWords('rank.change', { ...change, group })];
  if (followed === 'later') lines.push(t('rank.later'));
  if (followed === 'nobody') lines.push(t('rank.nobody'));
  if (followed === 'done' && change.chatUserId !== undefined) {
    lines.push(...(await followedLines(change.guildId, change.chatUserId, settings)));
  }
  return note('fine', lines.join('\n'));
}

async function followedLines(guildId: string, chatUserId: string, settings: GuildSettings | null): Promise<string[]> {
  const observing = settings === null ? [] : observingLine(settings);
  if (observing.length > 0) return observing;
  const { added = [], removed = [] } = (await findMember(guildId, chatUserId))?.syncs?.at(-1) ?? {};
  const lines = [
    ...(added.length > 0 ? [t('sync.added', { roles: mentions(added) })] : []),
    ...(removed.length > 0 ? [t('sync.removed', { roles: mentions(removed) })] : []),
  ];
  return lines.length > 0 ? lines : [t('rank.no_roles')];
}

/** The same reply with the reason of its change, which the next press takes from it. */
export const withReason = (reply: Reply, reason: string | undefined): Reply =>
  reason === undefined
    ? reply
    : { ...reply, embeds: reply.embeds.map((embed) => ({ ...embed, footer: { text: reason } })) };

function changeWords(
  key: 'rank.unknown' | 'rank.change',
  { group, before, after, ...account }: Account & Pick<RankPreview, 'before' | 'after'> & { group: { name: string } },
): string {
  const words = { account: gameAccount(account), group: verbatim(group.name) };
  return t(key, { ...words, before: roleNames(before), after: roleNames(after) });
}

const roleNames = (roles: readonly GameRole[]): string =>
  roles.map(({ name, rank }) => t('why.rank', { name: verbatim(name), rank })).join(', ');

/** The offered roles around a rank, highest first: a menu has no room for more. */
function nearest(offered: readonly GameRole[], rank: number): GameRole[] {
  const byDistance = offered.toSorted((a, b) => Math.abs(a.rank - rank) - Math.abs(b.rank - rank));
  return byDistance.slice(0, mostOptions).toSorted((a, b) => b.rank - a.rank);
}

export const short = (text: string): string => onOneLine(text).slice(0, longestOption) || '?';

const mentions = (roleIds: readonly string[]): string => roleIds.map((id) => roleMention(id)).join(', ');

const choose = (id: string, placeholder: TextKey, options: APISelectMenuOption[]): APIStringSelectComponent => ({
  type: ComponentType.StringSelect,
  custom_id: id,
  placeholder: t(placeholder),
  options,
});
