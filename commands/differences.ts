import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { differencesPage } from '../src/edges/interactions/replies/reply-differences.js';
import { t } from '../src/lib/translate.js';

export const DifferencesCommand = guildCommand('differences', {
  as: 'viewer',
  forManagers: true,
  options: (command) =>
    command.addRoleOption((role) => role.setName('role').setDescription(t('option.differences_role'))),
  run: ({ guild, options }) => differencesPage(guild, options.getRole('role')?.id ?? null),
});
