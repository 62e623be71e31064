import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { inSteps, removeInSteps } from '../../platforms/database/in-steps.js';
import { Deliveries } from './delivery-model.js';

const ofPerson = { chatUserId: 1 } as const;

/**
 * Cancels an erased person's deliveries from before the request, whether they wait for a retry or failed for good.
 * Delivered ones are not sent again. The erasure's own events go out. With `gameUserId`, only
 * deliveries naming this account go. Returns false while something is left.
 */
export async function eraseFromDeliveries(
  { chatUserId, requestedAt }: ErasedPerson,
  gameUserId?: string,
): Promise<boolean> {
  const naming = gameUserId !== undefined && { body: trusted({ $regex: `"gameUserId":"${gameUserId}"` }) };
  const before = { chatUserId, eventAt: trusted({ $lte: requestedAt }), ...naming };
  const unarrived = {
    ...before,
    state: trusted({ $in: ['pending' as const, 'retrying' as const, 'failed' as const] }),
  };
  await removeInSteps(Deliveries.acrossGuilds, unarrived, ofPerson);
  const arrived = { ...before, state: 'succeeded' as const, personErased: trusted({ $exists: false }) };
  await inSteps(Deliveries.acrossGuilds, arrived, ofPerson, (some) =>
    Deliveries.acrossGuilds
      .updateMany(some, { $set: { personErased: true } })
      .hint({ _id: 1 })
      .exec(),
  );
  return (await Deliveries.acrossGuilds.exists(unarrived).hint(ofPerson)) === null;
}
