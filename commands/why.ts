import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { whyReply } from '../src/edges/interactions/replies/reply-why.js';
import { t } from '../src/lib/translate.js';

export const WhyCommand = guildCommand('why', {
  as: ({ options, user }) => ((options.getUser('member') ?? user).id === user.id ? 'member' : 'viewer'),
  options: (command) =>
    command.addUserOption((option) => option.setName('member').setDescription(t('option.update_member'))),
  run: (use) => whyReply(use, use.options.getUser('member')?.id ?? use.actor.id),
});
