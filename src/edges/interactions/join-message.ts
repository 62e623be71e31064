import { userMention } from 'discord.js';
import { findPresentGuild, type Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { findAccountIn } from '../../features/accounts/account-service.js';
import { claimDueJoinMessage, endJoinMessage, type MessagedJoiner } from '../../features/accounts/join-messages.js';
import { clock } from '../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../lib/errors.js';
import { inLane } from '../../lib/lane.js';
import { logger } from '../../lib/logger.js';
import { hourMs, minuteMs } from '../../lib/time.js';
import { t, withLocale } from '../../lib/translate.js';
import { longestMessage, postMessage, verbatim, withShownLinks } from '../../platforms/discord/channel-messages.js';
import { deliverDirectMessage } from '../../platforms/discord/direct-messages.js';
import { channelObstacle } from '../../platforms/discord/guild-channels.js';
import { readMember } from '../../platforms/discord/guild-members.js';
import { standing } from '../../platforms/jobs/standing.js';
import { rowOf } from './replies/reply.js';
import { directQuestion } from './replies/reply-consent.js';
import { verifyButton } from './replies/reply-verification.js';

/**
 * How many guilds are served in parallel. Within a guild, messages go out one after the other because Discord limits
 * channels.
 */
const guildsAtOnce = 4;
const tryForMs = hourMs;

/** The messages to new unverified members (DISC-36). */
export const messageJoiners = standing({
  name: 'tell-joiners',
  everyMs: minuteMs,
  atStart: true,
  run: (signal) => sendDueJoinMessages(signal),
});

/**
 * Sends each new unverified member their guild's join message (DISC-34). If Discord does not answer, it is retried
 * every minute for an hour.
 */
export async function sendDueJoinMessages(signal: AbortSignal): Promise<void> {
  const busy: string[] = [];
  const work = async (first: MessagedJoiner | null) => {
    let member = first ?? (await claimDueJoinMessage(busy));
    while (member !== null && !signal.aborted) {
      const { guildId } = member;
      busy.push(guildId);
      await inLane('single', tell.bind(null, member)).finally(() => busy.splice(busy.indexOf(guildId), 1));
      member = await claimDueJoinMessage(busy);
    }
  };
  const first = await claimDueJoinMessage([]);
  if (first === null) return;
  await Promise.all(Array.from({ length: guildsAtOnce }, (_, index) => work(index === 0 ? first : null)));
}

async function tell(member: MessagedJoiner): Promise<void> {
  try {
    await sendIfWanted(member);
  } catch (err) {
    const isOver = clock.epochMs() - member.joinMessage.since.getTime() >= tryForMs;
    if (err instanceof ChatPlatformUnavailable && !isOver) return;
    const { guildId, chatUserId } = member;
    logger[err instanceof AppError ? 'info' : 'error'](
      { err, guildId, chatUserId },
      'somebody who joined was not told',
    );
  }
  await endJoinMessage(member);
}

/** Skips members that have verified or left in the meantime, and members exempt from role and nickname changes. */
async function sendIfWanted(member: MessagedJoiner): Promise<void> {
  const { guildId, chatUserId, state, joinMessage: pending } = member;
  const [guild, settings] = await Promise.all([findPresentGuild(guildId), readSettings(guildId)]);
  if (guild === null || guild.state === 'suspended' || state === 'linked') return;
  const { joinMessage, bypass, locale } = settings;
  if (joinMessage.to === 'none' && !pending.asksConsent) return;
  const there = await readMember(guildId, chatUserId);
  const isExempt = [...bypass.keepRoles, ...bypass.keepNickname].some((roleId) => there?.roleIds.includes(roleId));
  if (there === null || isExempt) return;
  await withLocale(locale, async () => {
    if (pending.asksConsent && (await askForConsent(guild, member))) return;
    if (joinMessage.to !== 'none') await send(guild, chatUserId, joinMessage, pending.id);
  });
}

/** Asks for consent by direct message. False if that fails; then the guild's own message is sent. */
async function askForConsent(guild: Guild, member: MessagedJoiner): Promise<boolean> {
  const { chatUserId, consent, joinMessage } = member;
  if (consent !== undefined) return true;
  const account = await findAccountIn(member);
  if (account === null) return false;
  const { words, buttons } = directQuestion(guild, account);
  return deliverDirectMessage(chatUserId, words, { buttons, nonce: `${joinMessage.id}q` });
}

async function send(
  { _id: guildId, name }: Guild,
  chatUserId: string,
  { to, channelId, text }: GuildSettings['joinMessage'],
  nonce: string,
): Promise<void> {
  const [member, server] = [userMention(chatUserId), verbatim(name)];
  const own = worded(text, { member, server });
  if (to === 'dm') {
    const url = `https://discord.com/channels/${guildId}`;
    const words = own === null ? t('join.direct', { server, url }) : `${t('join.from_server', { server })}\n${own}`;
    await deliverDirectMessage(chatUserId, words.slice(0, longestMessage), { nonce });
  } else if (channelId !== null && (await channelObstacle(guildId, channelId)) === null) {
    const button = t('panel.verify');
    const content = own ?? t('join.channel', { member, server, button });
    const components = rowOf([verifyButton(button)]);
    await postMessage(channelId, { content, components, nonce }, chatUserId);
  }
}

/** The guild's own text with its placeholders filled in; null if it has none. */
function worded(text: string | null, { member, server }: { member: string; server: string }): string | null {
  const filled = text?.replaceAll('{member}', () => member).replaceAll('{server}', () => server);
  return filled === undefined ? null : withShownLinks(filled).slice(0, longestMessage);
}
