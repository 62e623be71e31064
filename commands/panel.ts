import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { say } from '../src/edges/interactions/reply.js';
import { postPanel } from '../src/edges/interactions/reply-panel.js';
import { t } from '../src/lib/translate.js';

export const PanelCommand = guildCommand('panel', {
  as: 'manager',
  forManagers: true,
  run: async ({ interaction, ...visit }) => {
    await postPanel(visit, interaction.channelId);
    return say(t('panel.posted'));
  },
});
