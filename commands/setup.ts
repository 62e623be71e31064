import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { resumeSetup } from '../src/edges/interactions/setup-pages.js';

export const SetupCommand = guildCommand('setup', {
  as: 'admin',
  forManagers: true,
  run: (use) => resumeSetup(use, use.interaction.channelId),
});
