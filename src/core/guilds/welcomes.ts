import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { Signal } from '../../lib/signal.js';
import { hourMs, minuteMs } from '../../lib/time.js';
import { type Guild, GuildRecord } from './guild-model.js';

/** A guild that is owed the message of the bot's first coming. */
export type WelcomedGuild = Pick<Guild, '_id' | 'name' | 'ownerId'> & Required<Pick<Guild, 'welcome'>>;

/** For so long after the bot's coming it is tried. */
const tryForMs = hourMs;
/** Discord recognises a message that is sent again for some minutes only. */
const tryAgainAfterMs = minuteMs;

const welcomeOwed = new Signal();

/** Calls `listener` whenever a guild is owed a welcome. */
export const onWelcomeOwed = welcomeOwed.on;

/** Says that a guild is owed one, which is stored by now. */
export function announceWelcome(): void {
  welcomeOwed.emit();
}

/** Takes up a guild whose welcome is due: another process, or this one after a crash, tries again in a minute. */
export function takeDueWelcome(): Promise<WelcomedGuild | null> {
  const now = clock.now();
  const next = new Date(now.getTime() + tryAgainAfterMs);
  return GuildRecord.findOneAndUpdate(
    { 'welcome.at': trusted({ $lte: now }), present: true },
    { $set: { 'welcome.at': next } },
    { hint: { 'welcome.at': 1 } },
  )
    .lean<WelcomedGuild | null>()
    .exec();
}

/** The welcome was sent, or nobody can be told. */
export async function endWelcome(guildId: string): Promise<void> {
  await GuildRecord.updateOne({ _id: guildId }, { $unset: { welcome: 1 } });
}

/** Gives up the welcomes that could not be sent for an hour, and those of guilds that the bot has left. */
export async function giveUpWelcomes(): Promise<void> {
  const longAgo = new Date(clock.epochMs() - tryForMs);
  const over = { $or: [{ joinedAt: trusted({ $lte: longAgo }) }, { present: false }] };
  await GuildRecord.updateMany({ 'welcome.at': trusted({ $exists: true }), ...over }, { $unset: { welcome: 1 } });
}
