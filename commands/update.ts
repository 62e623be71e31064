import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { updatedReply } from '../src/edges/interactions/reply-sync.js';
import { linkAtOnce } from '../src/features/accounts/missing-links.js';
import { syncMember } from '../src/features/sync/member/member-sync.js';
import { t } from '../src/lib/translate.js';

export const UpdateCommand = guildCommand('update', {
  as: ({ options, user }) => ((options.getUser('member') ?? user).id === user.id ? 'member' : 'manager'),
  options: (command) =>
    command.addUserOption((option) => option.setName('member').setDescription(t('option.update_member'))),
  run: async ({ guild, actor, options }) => {
    const chatUserId = options.getUser('member')?.id ?? actor.id;
    await linkAtOnce(guild._id, chatUserId);
    const sync = await syncMember(guild, chatUserId, { trigger: 'command', actor });
    return updatedReply({ guild, actor }, chatUserId, sync);
  },
});
