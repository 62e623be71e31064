import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { addGroup, listGroups } from '../src/core/groups/group-service.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { type Reply, say } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { groupLine, groupsPage, pageSize } from '../src/edges/interactions/reply-lists.js';
import { suggest, suggestGroups } from '../src/edges/interactions/suggestions.js';
import { removeGroup } from '../src/features/mappings/group-removal.js';
import { t } from '../src/lib/translate.js';

export class GroupCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.group'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, () => this.run(interaction));
  }

  override autocompleteRun(interaction: Command.AutocompleteInteraction) {
    return suggest(interaction, ({ _id }) => suggestGroups(_id));
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command
      .addSubcommand((list) => list.setName('list').setDescription(t('command.group_list')))
      .addSubcommand((add) =>
        add
          .setName('add')
          .setDescription(t('command.group_add'))
          .addStringOption((group) =>
            group.setName('group').setDescription(t('option.new_group')).setRequired(true).setMaxLength(300),
          ),
      )
      .addSubcommand((remove) =>
        remove
          .setName('remove')
          .setDescription(t('command.group_remove'))
          .addStringOption((group) =>
            group.setName('group').setDescription(t('option.group')).setRequired(true).setAutocomplete(true),
          )
          .addBooleanOption((cascade) => cascade.setName('cascade').setDescription(t('option.cascade'))),
      );
  }

  private async run(interaction: Command.ChatInputCommandInteraction): Promise<Reply> {
    const { options } = interaction;
    const subcommand = options.getSubcommand();
    const { guild, actor } = await enterAsTeam(interaction, subcommand === 'list' ? 'viewer' : 'manager');
    if (subcommand === 'list') return groupsPage(await listGroups(guild._id, { limit: pageSize }));
    const reference = options.getString('group', true);
    if (subcommand === 'add')
      return say(t('group.added', { group: groupLine(await addGroup(guild, actor, reference)) }));
    await removeGroup(guild, actor, reference, { cascade: options.getBoolean('cascade') ?? false });
    return say(t('group.removed'));
  }
}
