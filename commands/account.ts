import type { Command } from '@sapphire/framework';
import { ApplicationCommandType, InteractionContextType, type SlashCommandBuilder } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { translationsOf } from '../src/edges/interactions/command-localizations.js';
import { say } from '../src/edges/interactions/reply.js';
import { describeMember } from '../src/edges/interactions/reply-account.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { findMember } from '../src/features/members/member-service.js';
import { t } from '../src/lib/translate.js';

/** /account, and the same in the context menu of a person. */
export class AccountCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.account'), aliases: [t('command.account_menu')] });
  }

  override registerApplicationCommands(registry: Command.Registry) {
    super.registerApplicationCommands(registry);
    registry.registerContextMenuCommand((menu) =>
      menu
        .setName(t('command.account_menu'))
        .setNameLocalizations(translationsOf('command.account_menu'))
        .setType(ApplicationCommandType.User)
        .setContexts(InteractionContextType.Guild),
    );
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return this.show(interaction, interaction.options.getUser('member')?.id ?? interaction.user.id);
  }

  override contextMenuRun(interaction: Command.ContextMenuCommandInteraction) {
    return this.show(interaction, interaction.targetId);
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command.addUserOption((option) => option.setName('member').setDescription(t('option.account_member')));
  }

  private show(
    interaction: Command.ChatInputCommandInteraction | Command.ContextMenuCommandInteraction,
    chatUserId: string,
  ) {
    return answer(interaction, async () => {
      const { guild, actor } = await enterAsMember(interaction);
      const member = await findMember(guild._id, chatUserId);
      return say(describeMember(chatUserId, member, chatUserId === actor.id));
    });
  }
}
