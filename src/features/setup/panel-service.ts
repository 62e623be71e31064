import type { z } from 'zod';
import { type Actor, personBehind } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { type Guild, GuildRecord, panelFields } from '../../core/guilds/guild-model.js';
import { obstacleWords } from '../../core/settings/settings-rules.js';
import { clock } from '../../lib/clock.js';
import { Conflict, Forbidden, InvalidRequest } from '../../lib/errors.js';
import { shownFields } from '../../lib/shown-fields.js';
import { t } from '../../lib/translate.js';
import { type ChannelMessage, isMessageThere, postMessage } from '../../platforms/discord/channel-messages.js';
import { channelObstacle, personMayWrite } from '../../platforms/discord/guild-channels.js';
import { DiscordForbids } from '../../platforms/discord/rest/discord-call.js';
import { push } from '../../platforms/events/outbox.js';

export type Panel = z.output<typeof panelFields>;

const shown = shownFields(panelFields);

export const panelView = shown.view.meta({ id: 'Panel' });
export const viewPanel = (panel: Panel): z.input<typeof panelView> => shown.show(panel);

/**
 * Refuses a channel that is no text channel in the guild, and one into which the person behind `actor` may not write on
 * Discord. Throws InvalidRequest, Forbidden, ChatPlatformUnavailable.
 */
export async function requirePanelChannel(guildId: string, actor: Actor, channelId: string): Promise<void> {
  const obstacle = await channelObstacle(guildId, channelId);
  // Where the bot may not write, Discord refuses the message.
  if (obstacle !== null && obstacle !== 'channel_forbidden') {
    throw new InvalidRequest([{ path: 'channelId', message: obstacleWords(obstacle) }]);
  }
  const chatUserId = personBehind(actor);
  if (chatUserId === null || (await personMayWrite(guildId, channelId, chatUserId))) return;
  throw new Forbidden('forbidden', t('panel.not_yours'));
}

/**
 * Posts the message with the Verify button into a channel, and keeps where it is. `channelId` is null when Discord didn't
 * say which channel. Throws Conflict `channel_unknown` then, `missing_permission` when the bot may not write there,
 * GoneFromDiscord, ChatPlatformUnavailable, and as `requirePanelChannel` does.
 */
export async function postPanel(
  { _id: guildId }: Pick<Guild, '_id'>,
  actor: Actor,
  channelId: string | null,
  message: ChannelMessage,
): Promise<Panel> {
  if (channelId === null) throw new Conflict('channel_unknown', t('panel.no_channel'));
  await requirePanelChannel(guildId, actor, channelId);
  const messageId = await postMessage(channelId, message).catch((error: unknown) => {
    if (!(error instanceof DiscordForbids)) throw error;
    throw new Conflict('missing_permission', t('panel.forbidden'));
  });
  const target = { kind: 'channel', id: channelId };
  const entry = newEntry({ guildId, actor, action: 'panel.posted', target });
  const panel = { channelId, messageId, postedAt: clock.now() };
  await GuildRecord.updateOne({ _id: guildId }, { $set: { panel }, ...push(entry) });
  await enterLog(entry);
  return panel;
}

/** The panel that was posted last, if it is still there on Discord. Throws ChatPlatformUnavailable. */
export async function findPanel({ panel }: Guild): Promise<Panel | null> {
  if (panel === undefined) return null;
  return (await isMessageThere(panel.channelId, panel.messageId)) ? panel : null;
}
