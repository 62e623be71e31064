import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { Remembered } from '../../platforms/database/remembered.js';

/**
 * Records that a guild's invitation was sent to a person, by a hash over both. It outlives the invitation, and contains
 * no name.
 */
const notified = new Remembered<undefined>('notified_invitee');

/** Whether a person may be sent a guild's invitation now: once in 24 hours (AUTH-47). True takes that one up. */
export async function mayNotifyInvitee(guildId: string, chatUserId: string): Promise<boolean> {
  const now = clock.now();
  const until = new Date(now.getTime() + dayMs);
  const filter = { until: trusted({ $lte: now }) };
  try {
    await notified.change(hashSecret(`${guildId}:${chatUserId}`), { $set: { until } }, { filter, upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
