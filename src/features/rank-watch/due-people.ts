import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { inSteps } from '../../platforms/database/in-steps.js';
import type { RankInterests } from './rank-interests.js';
import { scheduleBatches } from './watched-links.js';
import { WatchedAccounts } from './watched-models.js';

/** Makes readings due now; people that were just read become due after `everyMs`. */
export async function makeDueNow(held: string | object, everyMs: number): Promise<void> {
  const now = clock.now();
  const later = { held: typeof held === 'string' ? held : trusted(held), dueAt: trusted({ $gt: addMs(now, everyMs) }) };
  const soon = { $max: [now, { $min: [addMs(now, everyMs), { $add: ['$seenAt', everyMs] }] }] };
  await inSteps(WatchedAccounts, later, { held: 1 }, (some) =>
    WatchedAccounts.updateMany(some, [{ $set: { dueAt: soon } }], { updatePipeline: true })
      .hint({ _id: 1 })
      .exec(),
  );
}

/** Makes the batches of all guilds due now that name a group. */
export async function scheduleBatchesFor(groupId: string, { guildsByGroup }: RankInterests): Promise<void> {
  const guildIds = guildsByGroup.get(groupId) ?? [];
  await scheduleBatches(
    guildIds.map((guildId) => ({ guildId })),
    clock.now(),
  );
}

const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
