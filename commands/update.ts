import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { updatedReply } from '../src/edges/interactions/replies/reply-sync.js';
import { linkAndSync } from '../src/features/sync/member/linked-sync.js';
import { t } from '../src/lib/translate.js';

export const UpdateCommand = guildCommand('update', {
  as: ({ options, user }) => ((options.getUser('member') ?? user).id === user.id ? 'member' : 'manager'),
  options: (command) =>
    command.addUserOption((option) => option.setName('member').setDescription(t('option.update_member'))),
  run: async ({ guild, actor, options }) => {
    const chatUserId = options.getUser('member')?.id ?? actor.id;
    const sync = await linkAndSync(guild, chatUserId, { trigger: 'command', actor });
    return updatedReply({ guild, actor }, chatUserId, sync);
  },
});
