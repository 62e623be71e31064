import {
  type APIButtonComponent,
  type APIChannelSelectComponent,
  type APIRoleSelectComponent,
  type APISelectMenuOption,
  type APIStringSelectComponent,
  ButtonStyle,
  ChannelType,
  ComponentType,
  channelMention,
  roleMention,
  SelectMenuDefaultValueType,
} from 'discord.js';
import type { LinkedGroup } from '../../../core/groups/group-service.js';
import { verificationMethod } from '../../../core/settings/guild-settings.js';
import { missingKey, rolesAboveBot } from '../../../features/setup/setup-roles.js';
import type { GroupBeside, Setup, SetupStep } from '../../../features/setup/setup-service.js';
import type { Preview } from '../../../features/sync/preview/preview-service.js';
import { type TextKey, t } from '../../../lib/translate.js';
import { onOneLine, verbatim } from '../../../platforms/discord/channel-messages.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { mayManageNicknames, mayManageRoles } from '../../../platforms/discord/permissions.js';
import { describeObstacle, roleObstacle } from '../../../platforms/discord/role-hierarchy.js';
import type { FoundGroup } from '../../../platforms/roblox/game-group-search.js';
import { hasOpenCloud } from '../../../platforms/roblox/open-cloud.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import type { SetupForm } from '../setup/setup-forms.js';
import { card, nameWithLink, pressButton, type Reply, rowOf, type StateColor } from './reply.js';
import { moveButton } from './reply-move.js';
import { templateInWords } from './reply-settings.js';

/** At most this many ranks, or roles above the bot, are listed by name; the rest is a count. */
const mostNamed = 30;
const mostChoices = 25;
const longestChoice = 100;

const press = (action: string, label: TextKey, style: Weight = ButtonStyle.Secondary) =>
  pressButton(componentId('setup', action), t(label), style);
const onwards = (action: string, label: TextKey) => press(action, label, ButtonStyle.Primary);
type Weight = ButtonStyle.Primary | ButtonStyle.Secondary;
/** A /setup button that carries out exactly the effect shown above it, which `key` names. */
const does = (action: 'make' | 'apply' | 'observe', key: string, label: TextKey, style: Weight = ButtonStyle.Primary) =>
  pressButton(componentId('setup', action, key), t(label), style);
const opens = (form: SetupForm, label: TextKey, style: Weight = ButtonStyle.Secondary) =>
  pressButton(componentId('setup-form', form), t(label), style);

/** The steps shown with a number. */
const numbered: readonly SetupStep[] = ['group', 'ranks', 'verified', 'panel', 'summary'];

function page(
  step: SetupStep,
  lines: readonly string[],
  look: { state?: StateColor; rows: Reply['components'] },
): Reply {
  const number = numbered.indexOf(step) + 1;
  const title = t(`setup.title_${step}`);
  const heading = number === 0 ? title : t('setup.step', { number, of: numbered.length, title });
  return card(heading, lines, look.state ?? 'neutral', look.rows);
}

/** The problems that stop the bot from working in this server, one per line. */
export function placeProblems(facts: GuildFacts): string[] {
  const above = rolesAboveBot(facts);
  const { permissions, highestRole } = facts.bot;
  const roles = above
    .slice(0, mostNamed)
    .map((roleId) => roleMention(roleId))
    .join(', ');
  return [
    ...(mayManageRoles(permissions) ? [] : [t('setup.no_manage_roles')]),
    ...(mayManageNicknames(permissions) ? [] : [t('setup.no_manage_nicknames')]),
    ...(above.length === 0
      ? []
      : [t('setup.roles_above', { count: above.length, bot: roleMention(highestRole.roleId), roles })]),
  ];
}

export function placePage(problems: readonly string[]): Reply {
  const buttons = [onwards('place', 'setup.check_again'), press('group', 'setup.next')];
  return page('place', [...problems, '', t('setup.place_how')], { state: 'attention', rows: rowOf(buttons) });
}

/** The page for choosing a Roblox group: the attached groups, a search, or an import from another bot. */
export function groupPage(groups: readonly LinkedGroup[], notes: readonly string[]): Reply {
  const known = groups.slice(0, mostChoices).map(({ groupId, name }) => ({ label: short(name), value: groupId }));
  const menu = known.length === 0 ? [] : rowOf([choose('group', 'setup.choose_known', known)]);
  const buttons = [
    opens('find', 'setup.find_group', ButtonStyle.Primary),
    moveButton(),
    press('without', 'setup.without_group'),
  ];
  return page('group', [...notes, t('setup.group_how')], { rows: [...menu, ...rowOf(buttons)] });
}

export function foundPage(found: readonly FoundGroup[]): Reply {
  const options = found.slice(0, mostChoices).map(({ groupId, name, memberCount }) => ({
    label: short(name),
    value: groupId,
    description: t('setup.found_members', { members: memberCount, id: groupId }),
  }));
  const rows = [
    ...rowOf([choose('group', 'setup.choose_found', options)]),
    ...rowOf([opens('find', 'setup.find_other', ButtonStyle.Primary)]),
  ];
  return page('group', [t(found.length === 0 ? 'setup.found_none' : 'setup.found_several')], {
    rows: found.length === 0 ? rows.slice(1) : rows,
  });
}

/** The group's ranks, highest first, each with the role by the same name, and the role for verified members. */
export function ranksPage(setup: Setup, beside: GroupBeside, facts: GuildFacts, notes: readonly string[]): Reply {
  const { group, ranks } = beside;
  const lacksVerified = setup.verifiedRoleId === null;
  const isComplete = !lacksVerified && ranks.every(({ problem }) => problem !== 'no_role');
  const lines = ranks.toReversed().map((rank) => rankLine(rank, facts));
  const more = lines.length > mostNamed ? [t('setup.more_ranks', { count: lines.length - mostNamed })] : [];
  const name = nameWithLink(group.name, `https://www.roblox.com/communities/${group.groupId}`);
  const buttons = [
    ...(isComplete ? [] : [does('make', missingKey(setup, beside), 'setup.make_missing')]),
    press('verified', 'setup.next', isComplete ? ButtonStyle.Primary : ButtonStyle.Secondary),
    press('group', 'setup.back'),
  ];
  const verified = lacksVerified ? [t('setup.verified_missing')] : [];
  const words = [
    ...notes,
    t('setup.ranks_how', { group: name }),
    '',
    ...lines.slice(0, mostNamed),
    ...more,
    ...verified,
    ...(hasOpenCloud() ? [] : [t('why.highest_only')]),
  ];
  return page('ranks', words, { state: isComplete ? 'fine' : 'attention', rows: rowOf(buttons) });
}

function rankLine({ rank, roleIds, problem }: GroupBeside['ranks'][number], facts: GuildFacts): string {
  const name = verbatim(rank.name);
  const [roleId = ''] = roleIds;
  if (problem === 'no_role') return t('setup.rank_missing', { name });
  if (problem !== null)
    return t('setup.rank_several', { name, roles: roleIds.map((id) => roleMention(id)).join(', ') });
  const obstacle = roleObstacle(facts, roleId);
  if (obstacle === null) return t('setup.rank_role', { name, role: roleMention(roleId) });
  return t('setup.rank_blocked', { name, why: verbatim(describeObstacle(facts, roleId, obstacle)) });
}

const nicknameChoices = {
  off: 'setup.nickname_off',
  '{gameUsername}': 'setup.nickname_username',
  '{gameDisplayName}': 'setup.nickname_display_name',
  '{gameDisplayName} (@{gameUsername})': 'setup.nickname_both',
} as const satisfies Record<string, TextKey>;

/** The page for the verified role and nicknames. `examples` shows the chosen template for real members. */
export function verifiedPage(
  setup: Setup,
  facts: GuildFacts,
  examples: readonly string[],
  notes: readonly string[],
): Reply {
  const { verifiedRoleId, nickname, groupId } = setup;
  const role = verifiedRoleId === null || !facts.roles.has(verifiedRoleId) ? null : verifiedRoleId;
  const obstacle = role === null ? null : roleObstacle(facts, role);
  const lines = [
    ...notes,
    role === null ? t('setup.verified_none') : t('setup.verified_role', { role: roleMention(role) }),
    ...(role === null || obstacle === null ? [] : [`⚠️ ${verbatim(describeObstacle(facts, role, obstacle))}`]),
    nicknameLine(nickname),
    ...examples,
  ];
  const buttons = [
    onwards('panel', 'setup.next'),
    ...(role === null ? [press('make-verified', 'setup.make_verified')] : []),
    press(groupId === null ? 'group' : 'ranks', 'setup.back'),
  ];
  const rows = [...rowOf([roleMenu(role)]), ...rowOf([nicknameMenu(setup)]), ...rowOf(buttons)];
  return page('verified', lines, { rows });
}

export const nicknameLine = ({ enabled, template }: Setup['nickname']): string =>
  enabled ? t('setup.nickname_on', { template: templateInWords(template) }) : t('setup.nicknames_stay');

const roleMenu = (roleId: string | null): APIRoleSelectComponent => ({
  type: ComponentType.RoleSelect,
  custom_id: componentId('setup', 'verified'),
  placeholder: t('setup.choose_verified'),
  min_values: 0,
  max_values: 1,
  default_values: roleId === null ? [] : [{ id: roleId, type: SelectMenuDefaultValueType.Role }],
});

/** A custom template is kept and shown as a choice. */
function nicknameMenu({ nickname: { enabled, template }, groupId }: Setup): APIStringSelectComponent {
  const chosen = enabled ? template : 'off';
  const offered = Object.entries(nicknameChoices).map(([value, key]) => ({ value, label: t(key) }));
  if (groupId !== null) offered.push({ value: rankTemplate(groupId), label: t('setup.nickname_rank') });
  if (!offered.some(({ value }) => value === chosen)) offered.push({ value: ownTemplate, label: short(chosen) });
  const isChosen = (value: string): boolean => value === chosen || value === ownTemplate;
  const options = offered.map((each) => ({ ...each, default: isChosen(each.value) }));
  return choose('nickname', 'setup.choose_nickname', options);
}

export const ownTemplate = 'own';
const rankTemplate = (groupId: string): string => `[{groupRole:${groupId}}] {gameUsername}`;

export function panelPage({ methods, channelId, panel }: Setup, oauthIsThere: boolean): Reply {
  const lines = [
    oauthIsThere ? methodsLine(methods) : t('setup.methods_code'),
    channelId === null ? pressable('setup.no_channel') : t('setup.channel', { channel: channelMention(channelId) }),
    headingLine(panel),
  ];
  const buttons = [
    onwards('summary', 'setup.next'),
    opens('words', 'setup.change_words'),
    press('verified', 'setup.back'),
  ];
  const menus = oauthIsThere ? rowOf([methodsMenu(methods)]) : [];
  return page('panel', lines, { rows: [...menus, ...rowOf([channelMenu(channelId)]), ...rowOf(buttons)] });
}

export function methodsLine(methods: Setup['methods']): string {
  const names = methods.map((method) => t(`settings.method.${method}`)).join(` ${t('condition.or')} `);
  return t('setup.methods', { methods: names });
}

export const headingLine = ({ title }: Setup['panel']): string =>
  t('setup.panel_words', { title: verbatim(title ?? t('panel.title')) });

function methodsMenu(methods: Setup['methods']): APIStringSelectComponent {
  const chosen = methods.length > 1 ? 'both' : (methods[0] ?? 'both');
  const ways = (['both', ...verificationMethod.options] as const).map((value) => ({
    value,
    label: t(`option.set.methods.${value}`),
    default: value === chosen,
  }));
  return choose('methods', 'setup.choose_methods', ways);
}

const channelMenu = (channelId: string | null): APIChannelSelectComponent => ({
  type: ComponentType.ChannelSelect,
  custom_id: componentId('setup', 'channel'),
  placeholder: t('setup.choose_channel'),
  channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
  min_values: 0,
  max_values: 1,
  default_values: channelId === null ? [] : [{ id: channelId, type: SelectMenuDefaultValueType.Channel }],
});

/**
 * The page with the effect when applied: `changes` lists the writes, and `key` names exactly them. If other bots give
 * roles, observe mode is offered first.
 */
export function summaryPage(
  { key, preview, total, bots }: { key: string; preview: Preview; total: number; bots: readonly string[] },
  changes: readonly string[],
  toDashboard: APIButtonComponent[],
): Reply {
  const { checked, adding, removing, renamed, blocked, unknown, changed } = preview.summary;
  const isPart = preview.nextCursor !== null;
  const lines = [
    ...changes,
    '',
    changed === 0
      ? t('setup.no_member_changes', { checked })
      : t('preview.summary', { checked, changed, adding, removing, renamed }),
    ...(isPart ? [t('preview.part', { checked, total })] : []),
    ...(unknown === 0 ? [] : [t('preview.unknown', { unknown })]),
    ...(blocked === 0 ? [] : [pressable('setup.blocked', { blocked })]),
    ...preview.warnings.map(({ detail }) => t('preview.warning', { warning: verbatim(detail) })),
    '',
    ...(bots.length === 0 ? [] : [pressable('setup.other_bots', { bots: bots.map(verbatim).join(', ') })]),
    t('setup.nothing_yet'),
  ];
  const ways = bots.length === 0 ? (['apply', 'observe'] as const) : (['observe', 'apply'] as const);
  const buttons = [
    ...ways.map((action, at) =>
      does(action, key, `setup.${action}`, at === 0 ? ButtonStyle.Primary : ButtonStyle.Secondary),
    ),
    press('summary', 'setup.check_again'),
    press('panel', 'setup.back'),
  ];
  const state = blocked > 0 || preview.warnings.length > 0 ? 'attention' : 'fine';
  return page('summary', lines, { state, rows: rowOf([...buttons, ...toDashboard]) });
}

const short = (text: string): string => onOneLine(text).slice(0, longestChoice) || '?';

function choose(action: string, placeholder: TextKey, options: APISelectMenuOption[]): APIStringSelectComponent {
  return {
    type: ComponentType.StringSelect,
    custom_id: componentId('setup', action),
    placeholder: t(placeholder),
    options,
  };
}
