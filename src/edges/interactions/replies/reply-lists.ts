import { ButtonStyle, roleMention } from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { describeCondition } from '../../../features/mappings/describe-condition.js';
import { pageOfMappings } from '../../../features/mappings/mapping-list.js';
import type { Mapping, WrittenMapping } from '../../../features/mappings/mapping-service.js';
import type { RoleWarning } from '../../../features/mappings/mapping-status.js';
import {
  type MappedRank,
  type MappingView,
  viewMapping,
  viewMappings,
} from '../../../features/mappings/mapping-view.js';
import type { MappingsSnapshot } from '../../../features/mappings/mappings-snapshot.js';
import { rankProblems } from '../../../features/mappings/whole-group.js';
import type { Page } from '../../../lib/cursor.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { permissionList } from '../../../platforms/discord/permission-words.js';
import { type HoldersOf, holdersWords } from '../../../platforms/discord/role-holders.js';
import { pressable } from '../commands/command-mention.js';
import { type ComponentName, componentId } from '../component-id.js';
import { dashboardLink, guildPage } from '../dashboard-link.js';
import { list, nameWithLink, note, pressButton, type Reply, type StateColor } from './reply.js';
import { templateInWords } from './reply-settings.js';

/** Entries per page; each takes about 400 characters in an embed's description. */
export const pageSize = 10;

const statusWords: Record<MappingView['status'], TextKey | null> = {
  ok: null,
  role_missing: 'mapping.role_missing',
  role_unmanageable: 'mapping.role_unmanageable',
  role_dangerous: 'mapping.role_dangerous',
  group_missing: 'mapping.group_missing',
};

/** A page with a guild's mappings and their problems. Throws InvalidRequest for a bad cursor. */
export function mappingsPage(guildId: string, snapshot: MappingsSnapshot, cursor?: string): Reply {
  const { data, nextCursor } = pageOfMappings(snapshot, { limit: pageSize, cursor });
  const toDashboard = dashboardLink(guildPage(guildId, 'mappings'));
  if (data.length === 0) return note('neutral', pressable('mapping.none'), toDashboard);
  const buttons = [...nextButton('mappings', nextCursor), ...toDashboard];
  return list(t('mapping.title'), mappingLines(data, snapshot), buttons, stateOf(data, snapshot));
}

/** A mapping after a write, with a sentence about the change, and the roles that must come below to go live. */
export async function writtenMapping(
  done: `mapping.${'added' | 'edited' | 'confirmed' | 'switched_on' | 'switched_off'}`,
  { mapping, snapshot }: WrittenMapping,
): Promise<Reply> {
  const state = stateOf([mapping], snapshot) === 'attention' ? 'attention' : 'fine';
  const { rolesAbove = [] } = viewMapping(mapping, snapshot);
  const above = rolesAbove.length > 0 && (await readSettings(mapping.guildId)).mode === 'observe' ? rolesAbove : [];
  return note(state, [t(done), ...mappingLines([mapping], snapshot), ...aboveLine(above)].join('\n'));
}

/** Maximum roles listed with their number, the ones with the most holders; a whole group may give more. */
const mostRolesNamed = 10;
const mostRolesAbove = 20;

/** After removing a mapping: the people keeping each role it gave. */
export function removedMapping(roleIds: readonly string[], holdersOf: HoldersOf): Reply {
  const most = roleIds.toSorted((a, b) => (holdersOf(b) ?? 0) - (holdersOf(a) ?? 0)).slice(0, mostRolesNamed);
  return note(
    'fine',
    [t('mapping.removed'), ...most.map((id) => holdersWords(roleMention(id), holdersOf(id)))].join('\n'),
  );
}

/** Whether any of these mappings needs an admin's attention. */
const stateOf = (mappings: readonly Mapping[], snapshot: MappingsSnapshot): StateColor =>
  viewMappings(mappings, snapshot).some(({ status, warnings, paused }) => {
    return status !== 'ok' || warnings.length > 0 || paused !== undefined;
  })
    ? 'attention'
    : 'neutral';

export function groupsPage({ data, nextCursor }: Page<LinkedGroup>): Reply {
  if (data.length === 0) return note('neutral', pressable('group.none'));
  return list(t('group.title'), data.map(groupLine), nextButton('groups', nextCursor));
}

function mappingLines(mappings: readonly Mapping[], snapshot: MappingsSnapshot): string[] {
  return viewMappings(mappings, snapshot).map((view) => mappingLine(view, snapshot.groups));
}

function mappingLine(mapping: MappingView, groups: readonly LinkedGroup[]): string {
  const { name, condition, nickname, removeWhenUnmatched, enabled, status, paused, warnings, ranks } = mapping;
  const statusKey = statusWords[status];
  const permissions = permissionList(warnings.flatMap((warning) => warning.permissions));
  return [
    t('mapping.line', {
      name: name === null ? '' : `**${verbatim(name)}**: `,
      condition: verbatim(describeCondition(condition, groups)),
      roles: rolesInWords(rolesOf(mapping)),
    }),
    ...(nickname === null
      ? []
      : [t('mapping.nickname', { template: templateInWords(nickname.template), order: nickname.order })]),
    ...(removeWhenUnmatched ? [] : [t('mapping.kept')]),
    ...(enabled ? [] : [t('mapping.off')]),
    ...(statusKey === null ? [] : [t(statusKey)]),
    ...rankLines(ranks ?? []),
    ...(paused === undefined ? [] : [t('mapping.paused')]),
    ...(warnings.length === 0 ? [] : [t('mapping.warning', { permissions })]),
  ].join(' · ');
}

/** The mapping's roles as mentions; for a group mapping without matching roles, a text for none. */
export const rolesInWords = (roleIds: readonly string[]): string =>
  roleIds.length === 0 ? t('mapping.no_roles') : roleIds.map((id) => roleMention(id)).join(', ');

/** The roles that must be below the bot only to go live (CONF-62). */
export const aboveLine = (roleIds: readonly string[]): string[] =>
  roleIds.length === 0
    ? []
    : [`⚠️ ${t('import.roles_above', { roles: rolesInWords(roleIds.slice(0, mostRolesAbove)) })}`];

export const dangerLine = ({ roleId, permissions }: RoleWarning): string =>
  `${roleMention(roleId)} · ${t('mapping.warning', { permissions: permissionList(permissions) })}`;

const rolesOf = ({ roleIds, ranks }: MappingView): string[] =>
  ranks === undefined
    ? [...roleIds]
    : [...new Set(ranks.filter((rank) => !isUnclear(rank)).flatMap((rank) => rank.roleIds))];

const isUnclear = ({ problem }: MappedRank): boolean => rankProblems.some((one) => one === problem);

/** A whole-group mapping's problems, with ranks grouped by problem kind. */
function rankLines(ranks: readonly MappedRank[]): string[] {
  const problems = rankProblems.flatMap((problem) => {
    const names = ranks.filter((rank) => rank.problem === problem).map(({ name }) => verbatim(name));
    return names.length === 0 ? [] : t(`mapping.rank_${problem}`, { ranks: names.join(', ') });
  });
  const shared = ranks.filter(({ otherMappings }) => otherMappings.length > 0).map(({ name }) => verbatim(name));
  return shared.length === 0 ? problems : [...problems, t('mapping.rank_shared', { ranks: shared.join(', ') })];
}

export function groupLine({ groupId, name, roles, memberCount, gone }: LinkedGroup): string {
  const group = nameWithLink(name, `https://www.roblox.com/communities/${groupId}`);
  const line = t('group.line', { group, id: groupId, roles: roles.length, members: memberCount });
  return gone ? `${line} · ${t('group.gone')}` : line;
}

/** The button holds the list's state: it continues after `cursor`, at any page age. */
export function nextButton(name: ComponentName, cursor: string | null, ...filters: string[]) {
  return cursor === null
    ? []
    : [pressButton(componentId(name, ...filters, cursor), t('list.next'), ButtonStyle.Secondary)];
}
