import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { logsPage } from '../src/edges/interactions/replies/reply-logs.js';
import { suggestActions } from '../src/edges/interactions/suggestions.js';
import { t } from '../src/lib/translate.js';

export const LogsCommand = guildCommand('logs', {
  as: 'viewer',
  forManagers: true,
  suggest: suggestActions,
  options: (command) =>
    command
      .addStringOption((action) =>
        action.setName('action').setDescription(t('option.logs_action')).setAutocomplete(true),
      )
      .addUserOption((member) => member.setName('member').setDescription(t('option.logs_member'))),
  run: ({ guild, actor, options }) =>
    logsPage(
      { guild, actor },
      { action: options.getString('action'), memberId: options.getUser('member')?.id ?? null },
    ),
});
