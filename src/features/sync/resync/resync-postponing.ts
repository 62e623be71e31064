import { countFact } from '../../../core/counters/daily-counters.js';
import { clock } from '../../../lib/clock.js';
import { AppError, ChatPlatformUnavailable } from '../../../lib/errors.js';
import { isRefusedByDiscord } from '../../../platforms/discord/call-outcome.js';
import { HeldBack } from '../../../platforms/discord/invalid-request-guard.js';
import { postponeSync } from '../member/sync-debts.js';
import type { ResyncChange } from './resync-change-model.js';
import { updateChange } from './resync-changes.js';

/** 5 s, then three times as long with each failure; after the fifth the member is left to a sync of their own. */
const firstRetryMs = 5_000;
const mostAttempts = 5;
/** For a member whom somebody else is syncing. */
const busyMs = 2_000;

/**
 * A change has failed: leaves it for later, and in the end to the syncs that members are owed, which go on for a day.
 * What Discord refuses is left to them at once. Gives whether it is given up here.
 */
export async function postponeChange(change: ResyncChange, error: unknown): Promise<boolean> {
  if (error instanceof AppError && error.code === 'busy') {
    await updateChange(change, { dueAt: new Date(clock.epochMs() + busyMs) });
    return false;
  }
  if (error instanceof HeldBack) {
    // It was not tried.
    await updateChange(change, { dueAt: new Date(clock.epochMs() + error.retryAfterSeconds * 1_000) });
    return false;
  }
  const attempts = change.attempts + 1;
  const isRefused = isRefusedByDiscord(error);
  if (attempts < mostAttempts && !isRefused) {
    const dueAt = new Date(clock.epochMs() + firstRetryMs * 3 ** (attempts - 1));
    await updateChange(change, { attempts, dueAt });
    return false;
  }
  const { guildId, chatUserId, add, remove, blocked } = change;
  // A sync that planned the member once more has noted the refusal itself.
  const isNoted = isRefused && error instanceof ChatPlatformUnavailable;
  if (!isNoted) {
    await postponeSync(guildId, chatUserId, 'resync', { error, roleIds: [...add, ...remove], blocked });
    await countFact(guildId, 'syncFailed');
  }
  await updateChange(change, { attempts, state: 'failed' });
  return true;
}
