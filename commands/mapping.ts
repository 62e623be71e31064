import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { enterAsTeam, highestRoleOf } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { addMappingOptions, readMappingDraft } from '../src/edges/interactions/command-mapping-options.js';
import { type Reply, say } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { createdMapping, mappingsPage } from '../src/edges/interactions/reply-lists.js';
import { suggest, suggestGameRoles, suggestGroups, suggestMappings } from '../src/edges/interactions/suggestions.js';
import { createMapping, removeMapping } from '../src/features/mappings/mapping-service.js';
import { readMappingsPicture } from '../src/features/mappings/mappings-picture.js';
import { t } from '../src/lib/translate.js';

export class MappingCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.mapping'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, () => this.run(interaction));
  }

  override autocompleteRun(interaction: Command.AutocompleteInteraction) {
    return suggest(interaction, ({ _id }) => {
      const { name } = interaction.options.getFocused(true);
      if (name === 'group') return suggestGroups(_id);
      if (name === 'mapping') return suggestMappings(_id);
      return suggestGameRoles(_id, interaction.options.getString('group') ?? '');
    });
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command
      .addSubcommand((list) => list.setName('list').setDescription(t('command.mapping_list')))
      .addSubcommand((add) => addMappingOptions(add.setName('add').setDescription(t('command.mapping_add'))))
      .addSubcommand((remove) =>
        remove
          .setName('remove')
          .setDescription(t('command.mapping_remove'))
          .addStringOption((mapping) =>
            mapping.setName('mapping').setDescription(t('option.mapping')).setRequired(true).setAutocomplete(true),
          ),
      );
  }

  private async run(interaction: Command.ChatInputCommandInteraction): Promise<Reply> {
    const { options } = interaction;
    const subcommand = options.getSubcommand();
    const { guild, actor } = await enterAsTeam(interaction, subcommand === 'list' ? 'viewer' : 'manager');
    if (subcommand === 'list') return mappingsPage(await readMappingsPicture(guild));
    if (subcommand === 'add') {
      const actorHighestRole = await highestRoleOf(interaction);
      return createdMapping(await createMapping(guild, actor, readMappingDraft(options), { actorHighestRole }));
    }
    await removeMapping(guild, actor, options.getString('mapping', true));
    return say(t('mapping.removed'));
  }
}
