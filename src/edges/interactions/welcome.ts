import { claimDueWelcome, endWelcome, giveUpWelcomes, type WelcomedGuild } from '../../core/guilds/welcomes.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { SeparateWork } from '../../lib/patient-work.js';
import { minuteMs } from '../../lib/time.js';
import { t, withLocale } from '../../lib/translate.js';
import { postMessage, verbatim } from '../../platforms/discord/channel-messages.js';
import { deliverDirectMessage } from '../../platforms/discord/direct-messages.js';
import { channelObstacle } from '../../platforms/discord/guild-channels.js';
import { standing } from '../../platforms/jobs/standing.js';
import { componentId } from './component-id.js';
import { addressForPeople, dashboardLink, guildPage } from './dashboard-link.js';
import { pressButton, rowOf } from './replies/reply.js';

const welcoming = new SeparateWork('welcomes');

export const welcomeGuilds = standing({
  name: 'welcome-guilds',
  everyMs: minuteMs,
  atStart: false,
  run: (signal) => sendDueWelcomes(signal),
});

/**
 * Sends the welcome message with the *Set up* button (DISC-19), once per guild. It goes to the system channel or, if
 * the bot can't write there, to the owner. If Discord does not answer, it is retried every minute for an hour.
 */
export async function sendDueWelcomes(signal: AbortSignal): Promise<void> {
  await giveUpWelcomes();
  while (!signal.aborted) {
    const guild = await claimDueWelcome();
    if (guild === null) return;
    await welcoming.on(guild._id, async () => {
      await withLocale(guild.welcome.locale, () => welcome(guild));
      await endWelcome(guild);
    });
  }
}

async function welcome(guild: WelcomedGuild): Promise<void> {
  if (await postInChannel(guild)) return;
  const url = `https://discord.com/channels/${guild._id}`;
  const words = t('welcome.direct', { guild: verbatim(guild.name), url });
  // *Set up* needs a server, which a press in a direct message doesn't name.
  const setup = addressForPeople(guildPage(guild._id, 'setup'));
  const buttons = setup === undefined ? [] : [{ url: setup, label: t('dashboard.open') }];
  await deliverDirectMessage(guild.ownerId, words, { buttons, nonce: nonceOf(guild._id) });
}

/** The nonce that makes Discord post a message once, even when it is resent after a crash. */
const nonceOf = (guildId: string): string => `w${guildId}`;

async function postInChannel({ _id: guildId, welcome: { channelId } }: WelcomedGuild): Promise<boolean> {
  try {
    if (channelId === null || (await channelObstacle(guildId, channelId)) !== null) return false;
    const nonce = nonceOf(guildId);
    await postMessage(channelId, { content: t('welcome.text'), components: startRow(guildId), nonce });
    return true;
  } catch (error) {
    if (error instanceof ChatPlatformUnavailable || !(error instanceof AppError)) throw error;
    return false;
  }
}

const startRow = (guildId: string) =>
  rowOf([pressButton(componentId('setup', 'open'), t('welcome.set_up')), ...dashboardLink(guildPage(guildId))]);
