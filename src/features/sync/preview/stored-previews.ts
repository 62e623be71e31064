import { trusted } from 'mongoose';
import type { ErasedPerson } from '../../../core/actors/actor.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { isDuplicateKey } from '../../../platforms/database/duplicate-key.js';
import type { PlannedMember } from '../plan/guild-plan.js';
import { byAsker, Plans, type StoredPlan } from '../plan/plan-model.js';
import { removeChanges, storeChanges } from '../plan/planned-changes.js';

/** Maximum previews for one person, so that people displace only their own. */
export const mostOfOnePerson = 5;

export function previewExpired(message = 'This preview has expired. Create a new one.'): AppError {
  return new AppError('preview_expired', message);
}

/** A plan that was shown and that nobody has applied yet. */
export interface ShownPlan extends StoredPlan {
  state: 'shown';
  askedBy: string;
  asOf: Date;
  expiresAt: Date;
}

export const isShown = (plan: StoredPlan): plan is ShownPlan => plan.state === 'shown';

/**
 * Stores one more part's `members`, and then the plan with it, so that no resync finds half a part. A new preview
 * displaces the person's oldest. Draft previews can't be applied, so their members are not stored. Nothing is added to
 * a preview that was applied in the meantime. `parts` 0: an answer showed nobody yet.
 */
export async function storePart(plan: ShownPlan, members: readonly PlannedMember[]): Promise<void> {
  const { _id, guildId, state, parts, asOf } = plan;
  if (plan.rulesKey !== undefined && parts > 0) await storeChanges(plan, members, { part: parts - 1, asOf });
  try {
    await Plans.upsert({ _id, guildId, state }, { $set: plan });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if (parts > 0) await removeChanges(plan, parts - 1);
  }
  if (parts <= 1) await dropOldest(plan.askedBy);
}

const shown = { state: 'shown' } as const;

async function dropOldest(askedBy: string): Promise<void> {
  const theirs = Plans.acrossGuilds
    .find({ ...shown, askedBy })
    .sort({ expiresAt: -1 })
    .skip(mostOfOnePerson);
  await drop(await theirs.lean<StoredPlan[]>());
}

async function drop(plans: readonly Pick<StoredPlan, '_id' | 'guildId'>[]): Promise<void> {
  for (const { _id, guildId } of plans) {
    const { deletedCount } = await Plans.acrossGuilds.deleteOne({ _id, ...shown });
    if (deletedCount > 0) await removeChanges({ _id, guildId });
  }
}

/** The guild's preview, also one that was applied since. Throws AppError `preview_expired` (gone). */
export async function readStored(guildId: string, _id: string): Promise<StoredPlan> {
  const stored = await Plans.findOne({ _id, guildId, fixedPlan: true });
  if (stored === null || (stored.expiresAt !== undefined && stored.expiresAt <= clock.now())) throw previewExpired();
  return stored;
}

export async function purgePreviews(now: Date): Promise<void> {
  const isOver = { ...shown, askedBy: trusted({ $exists: true }), expiresAt: trusted({ $lte: now }) };
  const found = Plans.acrossGuilds.find(isOver).hint(byAsker).lean<StoredPlan>();
  for await (const plan of found.cursor()) await drop([plan]);
}

/** Erases the previews that a person asked for. */
export async function erasePreviews({ chatUserId: askedBy }: Pick<ErasedPerson, 'chatUserId'>): Promise<void> {
  await drop(await Plans.acrossGuilds.find({ ...shown, askedBy }).lean<StoredPlan[]>());
}
