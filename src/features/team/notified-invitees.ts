import { model, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { schemaOf } from '../../platforms/database/schema-of.js';

/** Records that a guild's invitation was sent to a person. It outlives the invitation, and contains no name. */
const notifiedInviteeFields = z.strictObject({
  /** SHA-256 of guild and person. */
  _id: z.string(),
  at: z.date(),
});
type NotifiedInvitee = z.output<typeof notifiedInviteeFields>;

const schema = schemaOf('told_invitees', notifiedInviteeFields);
// The purge of those that are over.
schema.index({ at: 1 });

const NotifiedInvitees = model<NotifiedInvitee>('ToldInvitee', schema);

/** Whether a person may be sent an invitation of a guild now: once in 24 hours (AUTH-47). True takes that one up. */
export async function mayNotifyInvitee(guildId: string, chatUserId: string): Promise<boolean> {
  const at = clock.now();
  const longAgo = { _id: hashSecret(`${guildId}:${chatUserId}`), at: trusted({ $lte: dayBefore(at) }) };
  try {
    await NotifiedInvitees.updateOne(longAgo, { $set: { at } }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

export async function purgeNotifiedInvitees(now: Date): Promise<void> {
  await NotifiedInvitees.deleteMany({ at: trusted({ $lte: dayBefore(now) }) });
}

const dayBefore = (time: Date): Date => new Date(time.getTime() - dayMs);
