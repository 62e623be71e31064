import { addImportOptions, importByCommand } from '../src/edges/interactions/command-import.js';
import { guildCommand } from '../src/edges/interactions/command-in-guild.js';

export const ImportCommand = guildCommand('import', {
  as: 'manager',
  forManagers: true,
  opensForm: true,
  options: addImportOptions,
  run: importByCommand,
});
