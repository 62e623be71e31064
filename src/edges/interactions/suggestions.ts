import type { AutocompleteInteraction } from 'discord.js';
import { actionFilter, actionsOf } from '../../core/audit/audit-actions.js';
import { findGroups } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { describeCondition } from '../../features/mappings/describe-condition.js';
import { listAllMappings } from '../../features/mappings/mapping-service.js';
import { awaited } from '../../lib/lane.js';
import { withLogContext } from '../../lib/logger.js';
import { t } from '../../lib/translate.js';
import { onOneLine } from '../../platforms/discord/channel-messages.js';
import { enter } from './commands/command-access.js';
import { inPersonsLanguage } from './person-language.js';

export interface Suggestion {
  name: string;
  value: string;
}

/** Discord's limits for autocomplete answers. */
const mostSuggestions = 25;
const longestName = 100;

/** Answers with `find`'s results that contain the typed text, for people with a team role. */
export async function suggest(
  interaction: AutocompleteInteraction,
  find: (guild: Guild) => Promise<Suggestion[]>,
): Promise<void> {
  const answered = async () => {
    const { guild } = await enter(interaction, 'viewer');
    const typed = interaction.options.getFocused().toLowerCase();
    const found = await inPersonsLanguage(interaction, () => find(guild));
    const fitting = found.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(typed));
    await interaction.respond(
      fitting
        .slice(0, mostSuggestions)
        .map(({ name, value }) => ({ name: onOneLine(name).slice(0, longestName), value })),
    );
  };
  await withLogContext({ interactionId: interaction.id }, () => awaited('press', answered));
}

export async function suggestGroups({ _id }: Guild): Promise<Suggestion[]> {
  const groups = await findGroups(_id);
  return groups.map(({ name, groupId }) => ({ name: `${name} (${groupId})`, value: groupId }));
}

/** The roles in a guild's group, highest rank first. Without a group id: the guild's only group. */
export async function suggestGameRoles(guild: Guild, groupId: string | null): Promise<Suggestion[]> {
  const roles = await heldRoles(guild, groupId);
  return roles.map(({ name, rank, gameRoleId }) => ({ name: t('why.rank', { name, rank }), value: gameRoleId }));
}

/** The group's ranks; roles that share a rank are listed together. */
export async function suggestRanks(guild: Guild, groupId: string | null): Promise<Suggestion[]> {
  const names = new Map<number, string[]>();
  for (const { name, rank } of await heldRoles(guild, groupId)) names.set(rank, [...(names.get(rank) ?? []), name]);
  return [...names].map(([rank, all]) => ({
    name: t('why.rank', { name: all.join(', '), rank }),
    value: String(rank),
  }));
}

async function heldRoles({ _id }: Guild, groupId: string | null) {
  const groups = await findGroups(_id);
  const [only, another] = groups;
  const isOnly = groupId === null && another === undefined;
  const group = groups.find((each) => each.groupId === groupId) ?? (isOnly ? only : undefined);
  return (group?.roles ?? []).filter(({ rank }) => rank > 0).toReversed();
}

/** Nickname templates: the usual ones, and ones with the member's role in a Roblox group the guild has. */
export async function suggestTemplates({ _id }: Guild): Promise<Suggestion[]> {
  const groups = await findGroups(_id);
  const usual = ['{gameUsername}', '{gameDisplayName}', '{gameDisplayName} (@{gameUsername})', '{chatUsername}'];
  return [
    ...usual.map((template) => ({ name: template, value: template })),
    ...groups.map(({ name, groupId }) => ({
      name: t('settings.template_with_role', { group: name, name: '{gameUsername}' }),
      value: `[{groupRole:${groupId}}] {gameUsername}`,
    })),
  ];
}

export async function suggestMappings({ _id: guildId }: Guild): Promise<Suggestion[]> {
  const [mappings, groups] = await Promise.all([listAllMappings(guildId), findGroups(guildId)]);
  return mappings.map(({ _id, name, condition }) => {
    const words = describeCondition(condition, groups);
    return { name: name === null ? words : `${name}: ${words}`, value: _id };
  });
}

/** The change kinds in a guild's log, in the order in which /logs suggests them. */
const changeKinds = [
  ...(['mapping', 'mappings', 'group', 'member', 'verification', 'resync', 'settings', 'role', 'permission'] as const),
  ...(['panel', 'teammate', 'token', 'webhook', 'delivery', 'billing', 'guild', 'people'] as const),
];

/** The filters of /logs: each change kind in the person's language, then its single actions. */
export async function suggestActions(): Promise<Suggestion[]> {
  const kinds = changeKinds.map((kind) => ({ kind, words: t(`log_kind.${kind}`) }));
  return [
    ...kinds.map(({ kind, words }) => ({ name: words, value: `${kind}.*` })),
    ...kinds.flatMap(({ kind, words }) =>
      actionsOf(actionFilter.parse(`${kind}.*`)).map((action) => ({ name: `${words}: ${action}`, value: action })),
    ),
  ];
}
