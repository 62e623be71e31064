import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { importForm } from '../src/edges/interactions/setup-forms.js';

export const ImportCommand = guildCommand('import', {
  as: 'manager',
  forManagers: true,
  opensForm: true,
  run: async () => importForm('command'),
});
