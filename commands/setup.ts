import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { resumeSetup } from '../src/edges/interactions/setup/setup-pages.js';

export const SetupCommand = guildCommand('setup', {
  as: 'admin',
  forManagers: true,
  run: (use) => resumeSetup(use, use.interaction.channelId),
});
