import { trusted } from 'mongoose';
import PQueue from 'p-queue';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { isOldEnough } from './account-age.js';
import { Accounts, type StoredAccount } from './account-model.js';
import { gameOf, linkKnownMember } from './account-settling.js';
import type { GameIdentity, OwedSync } from './member-model.js';
import type { StoredMember } from './page-presence.js';

/** How many are linked at once. */
const concurrency = 8;
/** A resync is done with a page of people by then, and otherwise they have a sync of their own. */
const resyncWithinMs = 10 * minuteMs;

/**
 * The game accounts of those among these people of a guild whom their account links there by the settings: it was
 * proved elsewhere, or they came unseen (SPEC §8). Without `jobId` nothing is written, and they are as they would be
 * linked; with it they are linked, and owed a sync of which the resync with this id is the payment.
 */
export async function linkMissing(
  guildId: string,
  people: Iterable<StoredMember>,
  settings: GuildSettings,
  jobId?: string,
): Promise<Map<string, GameIdentity>> {
  const links = new Map<string, GameIdentity>();
  const link = async (account: StoredAccount) => {
    const game = gameOf(account);
    const isLinked = jobId === undefined ? isOfAge(account, settings) : await linkOne(guildId, account._id, jobId);
    if (game !== null && isLinked) links.set(account._id, game);
  };
  const queue = new PQueue({ concurrency });
  await queue.addAll((await accountsOf(people, settings)).map((account) => () => link(account)));
  return links;
}

async function accountsOf(people: Iterable<StoredMember>, { autoLinkOnJoin }: GuildSettings): Promise<StoredAccount[]> {
  const mayBeLinked = ({ state, present, autoLinkBlocked }: StoredMember) =>
    autoLinkOnJoin && state !== 'linked' && present && !autoLinkBlocked;
  const chatUserIds = [...people].filter(mayBeLinked).map(({ chatUserId }) => chatUserId);
  if (chatUserIds.length === 0) return [];
  const known = { _id: trusted({ $in: chatUserIds }), gameUserId: trusted({ $exists: true }) };
  return Accounts.find(known).hint({ _id: 1 }).lean<StoredAccount[]>();
}

const isOfAge = ({ gameCreatedAt }: StoredAccount, { verification }: GuildSettings): boolean =>
  isOldEnough(gameCreatedAt, verification.minimumAccountAgeDays);

/** What prevents the link of one keeps nobody else from theirs: the next catch-up tries again. */
async function linkOne(guildId: string, chatUserId: string, jobId: string): Promise<boolean> {
  try {
    return await linkKnownMember(guildId, chatUserId, 'catch-up', debtTo(jobId));
  } catch (err) {
    logger.warn({ err, guildId, chatUserId }, 'a known account was not linked');
    return false;
  }
}

const debtTo = (jobId: string): OwedSync => ({
  id: jobId,
  trigger: 'link',
  dueAt: new Date(clock.epochMs() + resyncWithinMs),
  attempts: 0,
});
