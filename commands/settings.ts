import { changeSettings } from '../src/core/settings/settings-change.js';
import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { addJoinOptions, changeJoinMessage } from '../src/edges/interactions/command-join-message.js';
import { addModeOption, changeMode } from '../src/edges/interactions/command-mode.js';
import { addSettingsOptions, applyOptions } from '../src/edges/interactions/command-settings-options.js';
import { changing } from '../src/edges/interactions/reply-change.js';
import { settingsReply, settingsView } from '../src/edges/interactions/reply-settings.js';
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
    set: {
      as: 'admin',
      options: addSettingsOptions,
      run: (use) =>
        changing(use, async () => {
          const { guild, actor, options } = use;
          const { settings } = await changeSettings(guild, actor, (current) => applyOptions(options, current));
          return settingsReply(guild, settings, 'settings.changed');
        }),
    },
  },
});
