import type { AutocompleteInteraction, SlashCommandSubcommandBuilder } from 'discord.js';
import { findGroups } from '../../../core/groups/group-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import {
  createMapping,
  listAllMappings,
  mappingIn,
  removeMapping,
} from '../../../features/mappings/mapping-service.js';
import { rewriteMapping } from '../../../features/mappings/mapping-update.js';
import { readMappingsSnapshot } from '../../../features/mappings/mappings-snapshot.js';
import { rolesGiven } from '../../../features/mappings/whole-group.js';
import { shownHolders } from '../../../platforms/discord/role-holders.js';
import { changing } from '../replies/reply-change.js';
import { removedMapping, writtenMapping } from '../replies/reply-lists.js';
import { type Suggestion, suggestGameRoles, suggestGroups, suggestMappings, suggestRanks } from '../suggestions.js';
import type { CommandUse } from './command-in-guild.js';
import { addEditOptions, addKindOptions, kindOfCommand, readEdit, readKindDraft } from './command-mapping-kinds.js';
import { addMappingOption } from './command-mapping-options.js';

export const mappingOfKind = (name: keyof typeof kindOfCommand) => ({
  as: 'manager' as const,
  options: (command: SlashCommandSubcommandBuilder) => addKindOptions(command, name),
  run: (use: CommandUse) =>
    changing(use, async () => {
      const { guild, actor, options } = use;
      const draft = readKindDraft(options, kindOfCommand[name], await findGroups(guild._id));
      return writtenMapping('mapping.added', await createMapping(guild, actor, draft));
    }),
});

export const mappingEdit = {
  as: 'manager' as const,
  options: (command: SlashCommandSubcommandBuilder) => addEditOptions(addMappingOption(command)),
  run: (use: CommandUse) =>
    changing(use, async () => {
      const { guild, actor, options } = use;
      const id = options.getString('mapping', true);
      const [mappings, groups] = await Promise.all([listAllMappings(guild._id), findGroups(guild._id)]);
      const change = readEdit(options, mappingIn({ mappings }, id), groups);
      return writtenMapping('mapping.edited', await rewriteMapping(guild, actor, id, change));
    }),
};

/** A disabled mapping neither gives nor removes roles. */
export const mappingSwitch = (enabled: boolean) => ({
  as: 'manager' as const,
  options: addMappingOption,
  run: (use: CommandUse) =>
    changing(use, async () => {
      const { guild, actor, options } = use;
      const written = await rewriteMapping(guild, actor, options.getString('mapping', true), { enabled });
      return writtenMapping(enabled ? 'mapping.switched_on' : 'mapping.switched_off', written);
    }),
});

export const mappingRemoval = {
  as: 'manager' as const,
  options: addMappingOption,
  run: (use: CommandUse) =>
    changing(use, async () => {
      const { guild, actor, options } = use;
      const snapshot = await readMappingsSnapshot(guild);
      const mapping = mappingIn(snapshot, options.getString('mapping', true));
      await removeMapping(guild, actor, mapping._id);
      return removedMapping(rolesGiven(mapping, snapshot), await shownHolders(guild._id));
    }),
};

export async function suggestForMapping(guild: Guild, { options }: AutocompleteInteraction): Promise<Suggestion[]> {
  const { name } = options.getFocused(true);
  if (name === 'group') return suggestGroups(guild);
  if (name === 'mapping') return suggestMappings(guild);
  const groupId = options.getString('group') ?? (await groupOfMapping(guild, options.getString('mapping')));
  return name === 'game_role' ? suggestGameRoles(guild, groupId) : suggestRanks(guild, groupId);
}

/** A mapping's group; null if no mapping is chosen or it has no group. */
async function groupOfMapping({ _id: guildId }: Guild, mappingId: string | null): Promise<string | null> {
  if (mappingId === null) return null;
  const condition = (await listAllMappings(guildId)).find(({ _id }) => _id === mappingId)?.condition;
  return condition !== undefined && 'groupId' in condition ? condition.groupId : null;
}
