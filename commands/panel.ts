import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { limitText } from '../src/edges/interactions/commands/command-limits.js';
import { readLook } from '../src/edges/interactions/panel-look-typed.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { postPanelOf } from '../src/edges/interactions/replies/reply-panel.js';
import { panelLook } from '../src/features/setup/panel-look.js';
import { t } from '../src/lib/translate.js';

const { title, text, button } = panelLook.shape;

export const PanelCommand = guildCommand('panel', {
  as: 'manager',
  forManagers: true,
  options: (command) =>
    command
      .addStringOption((o) => limitText(o.setName('title').setDescription(t('option.panel_title')), title.unwrap()))
      .addStringOption((o) => limitText(o.setName('text').setDescription(t('option.panel_text')), text.unwrap()))
      .addStringOption((o) => limitText(o.setName('button').setDescription(t('option.panel_button')), button.unwrap()))
      .addStringOption((o) => o.setName('color').setDescription(t('option.panel_color')).setMaxLength(7)),
  run: async ({ interaction, options, ...visit }) => {
    const typed = (name: string) => options.getString(name);
    const look = readLook({
      title: typed('title'),
      text: typed('text'),
      button: typed('button'),
      color: typed('color'),
    });
    await postPanelOf(visit, interaction.channelId, look);
    return note('fine', t('panel.posted'));
  },
});
