import type { Command } from '@sapphire/framework';
import type { SlashCommandBuilder } from 'discord.js';
import { enterAsMember, enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { say } from '../src/edges/interactions/reply.js';
import { describeMember } from '../src/edges/interactions/reply-account.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { describeSync } from '../src/edges/interactions/reply-sync.js';
import { findMember } from '../src/features/members/member-service.js';
import { syncMember } from '../src/features/sync/member/member-sync.js';
import { t } from '../src/lib/translate.js';

export class UpdateCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.update') });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const { id } = interaction.options.getUser('member') ?? interaction.user;
      const own = id === interaction.user.id;
      const { guild, actor } = await (own ? enterAsMember(interaction) : enterAsTeam(interaction, 'manager'));
      const sync = await syncMember(guild, id, { trigger: 'command', actor });
      const member = await findMember(guild._id, id);
      const hint = member?.state === 'linked' ? [] : [describeMember(id, member, own)];
      return say([await describeSync(guild._id, sync), ...hint].join('\n'));
    });
  }

  protected override addOptions(command: SlashCommandBuilder) {
    command.addUserOption((option) => option.setName('member').setDescription(t('option.update_member')));
  }
}
