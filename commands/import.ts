import { addImportOptions, importByCommand } from '../src/edges/interactions/commands/command-import.js';
import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';

export const ImportCommand = guildCommand('import', {
  as: ({ options }) => (options.getString('people') === null ? 'manager' : 'admin'),
  forManagers: true,
  opensForm: true,
  options: addImportOptions,
  run: importByCommand,
});
