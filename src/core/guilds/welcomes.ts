import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { Signal } from '../../lib/signal.js';
import { hourMs, minuteMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { type Guild, GuildRecord } from './guild-model.js';

export type WelcomedGuild = Guild & Required<Pick<Guild, 'welcome'>>;

/** Maximum time for welcome attempts after the bot's arrival. */
const tryForMs = hourMs;

/** Discord recognises a resent message only for some minutes, and so a claim is short. */
const welcomes = pending<Guild, WelcomedGuild>(GuildRecord, 'welcome.at', {
  what: 'welcome',
  index: { 'welcome.at': 1 },
  claimMs: minuteMs,
});

const welcomePending = new Signal();

/** Calls `listener` whenever a welcome becomes due. */
export const onWelcomePending = welcomePending.on;

export function announceWelcome(): void {
  welcomePending.emit();
}

/** Claims a guild with a due welcome. Another process, or this one after a crash, retries one minute later. */
export function claimDueWelcome(): Promise<WelcomedGuild | null> {
  return welcomes.claimNext({ where: { present: true } });
}

/** Ends a welcome that was sent or can't be delivered. */
export async function endWelcome(guild: WelcomedGuild): Promise<void> {
  await welcomes.complete(guild);
}

/** Gives up welcomes that failed for an hour, and those for guilds that the bot has left. */
export async function giveUpWelcomes(): Promise<void> {
  const longAgo = new Date(clock.epochMs() - tryForMs);
  const over = { $or: [{ joinedAt: trusted({ $lte: longAgo }) }, { present: false }] };
  await GuildRecord.updateMany({ 'welcome.at': trusted({ $exists: true }), ...over }, { $unset: { welcome: 1 } });
}
