import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import type { PanelLook } from '../../../features/setup/panel-look.js';
import { type Panel, postPanel } from '../../../features/setup/panel-service.js';
import { currentLocale, t, withLocale } from '../../../lib/translate.js';
import { withShownLinks } from '../../../platforms/discord/channel-messages.js';
import type { Visit } from '../serve-interaction.js';
import { type Reply, say } from './reply.js';
import { verifyButton } from './reply-verification.js';

/** Posts a panel into a channel, in the guild's language. Throws as `postPanel` does. */
export async function postPanelOf(visit: Visit, channelId: string | null, look: PanelLook = {}): Promise<void> {
  const { guild, actor, settings } = visit;
  const panel = withLocale(settings?.locale ?? currentLocale(), () => panelOf(look));
  await postPanel(guild, actor, channelId, panel);
}

/** Posts a panel into a text channel, in the guild's language. Throws as `postPanel` does. */
export async function postPanelInto(
  guild: Guild,
  actor: Actor,
  channelId: string,
  look: PanelLook = {},
): Promise<Panel> {
  const { locale } = await readSettings(guild._id);
  return postPanel(
    guild,
    actor,
    channelId,
    withLocale(locale, () => panelOf(look)),
  );
}

/** A panel with the server's own texts, which may contain Markdown. Only a panel with a colour is an embed. */
function panelOf(look: PanelLook): Reply {
  const { button = t('panel.verify'), color } = look;
  const title = withShownLinks(look.title ?? t('panel.title'));
  const text = withShownLinks(look.text ?? t('panel.text'));
  const { components, content } = say(`**${title}**\n${text}`, [verifyButton(button)]);
  if (color === undefined) return { content, embeds: [], components };
  return { content: '', embeds: [{ title, description: text, color }], components };
}
