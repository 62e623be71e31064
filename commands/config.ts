import { exportConfig, reviewConfig } from '../src/edges/interactions/commands/command-config.js';
import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { t } from '../src/lib/translate.js';

export const ConfigCommand = guildCommand('config', {
  forManagers: true,
  subcommands: {
    export: { as: 'viewer', run: exportConfig },
    apply: {
      as: 'admin',
      options: (apply) =>
        apply.addAttachmentOption((file) =>
          file.setName('file').setDescription(t('option.config_file')).setRequired(true),
        ),
      run: (use) => reviewConfig(use, use.options.getAttachment('file', true)),
    },
  },
});
