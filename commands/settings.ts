import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { addJoinOptions, changeJoinMessage } from '../src/edges/interactions/commands/command-join-message.js';
import { addModeOption, changeMode } from '../src/edges/interactions/commands/command-mode.js';
import { settingsOf } from '../src/edges/interactions/commands/command-settings.js';
import { settingsView } from '../src/edges/interactions/replies/reply-settings.js';
import { suggestTemplates } from '../src/edges/interactions/suggestions.js';

export const SettingsCommand = guildCommand('settings', {
  forManagers: true,
  suggest: suggestTemplates,
  subcommands: {
    view: {
      as: 'viewer',
      run: ({ guild, actor }) => settingsView(guild, actor),
    },
    mode: { as: 'admin', options: addModeOption, run: changeMode },
    join: { as: 'admin', options: addJoinOptions, run: changeJoinMessage },
    set: settingsOf('set'),
    restrictions: settingsOf('restrictions'),
    resync: settingsOf('resync'),
  },
});
