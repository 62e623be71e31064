import type { AutocompleteInteraction } from 'discord.js';
import { findGroups } from '../groups/group-service.js';
import type { Guild } from '../guilds/guild-service.js';
import { withLogContext } from '../lib/logger.js';
import { describeCondition } from '../mappings/describe-condition.js';
import { listMappings } from '../mappings/mapping-service.js';
import { enterAsTeam } from './command-access.js';

/** One suggestion of an option that is being typed: what is shown, and what is sent. */
export interface Suggestion {
  name: string;
  value: string;
}

/** Discord's limits of an autocomplete answer. */
const mostSuggestions = 25;
const longestName = 100;
/** More mappings than any plan allows (SPEC §4 Plans). */
const allMappings = 1000;

/** Answers with those of `find` that hold what was typed so far; for people with a team role. */
export async function suggest(
  interaction: AutocompleteInteraction,
  find: (guild: Guild) => Promise<Suggestion[]>,
): Promise<void> {
  await withLogContext({ interactionId: interaction.id }, async () => {
    const { guild } = await enterAsTeam(interaction, 'viewer');
    const typed = interaction.options.getFocused().toLowerCase();
    const fitting = (await find(guild)).filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(typed));
    await interaction.respond(
      fitting.slice(0, mostSuggestions).map(({ name, value }) => ({ name: name.slice(0, longestName), value })),
    );
  });
}

/** The Roblox groups of a guild, by name. */
export async function suggestGroups(guildId: string): Promise<Suggestion[]> {
  const groups = await findGroups(guildId);
  return groups.map(({ name, groupId }) => ({ name: `${name} (${groupId})`, value: groupId }));
}

/** The roles that people can hold in one of the guild's Roblox groups, highest rank first. */
export async function suggestGameRoles(guildId: string, groupId: string): Promise<Suggestion[]> {
  const groups = await findGroups(guildId);
  const roles = groups.find((group) => group.groupId === groupId)?.roles ?? [];
  return roles
    .filter(({ rank }) => rank > 0)
    .toReversed()
    .map(({ name, rank, gameRoleId }) => ({ name: `${name} (rank ${rank})`, value: gameRoleId }));
}

/** The mappings of a guild, by name and condition. */
export async function suggestMappings(guildId: string): Promise<Suggestion[]> {
  const [{ data }, groups] = await Promise.all([listMappings(guildId, { limit: allMappings }), findGroups(guildId)]);
  return data.map(({ _id, name, condition }) => {
    const words = describeCondition(condition, groups);
    return { name: name === null ? words : `${name}: ${words}`, value: _id };
  });
}
