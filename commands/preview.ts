import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { previewGuild } from '../src/edges/interactions/commands/command-preview.js';

export const PreviewCommand = guildCommand('preview', { as: 'viewer', forManagers: true, run: previewGuild });
