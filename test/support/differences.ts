import { Types } from 'mongoose';
import { differenceOf, type ObservedChange, observedPlan } from '../../src/features/sync/plan/observed-changes.js';
import { PlannedChanges } from '../../src/features/sync/plan/planned-change-model.js';

interface Wish {
  expected: ObservedChange['expected'];
  reasons: ObservedChange['observed']['reasons'];
  since: Date;
}

/** A member's difference in a guild in observe mode, as a sync stores it. */
export function observedChange(
  guildId: string,
  chatUserId: string,
  { expected, reasons, since }: Wish,
): ObservedChange {
  const about = ['any', ...expected.add, ...expected.remove, ...reasons.map(({ code }) => code)];
  return {
    ...{
      _id: new Types.ObjectId(),
      guildId,
      planId: observedPlan(guildId),
      chatUserId,
      chatUsername: 'someone',
      part: 0,
    },
    ...{ expected, observed: { reasons, about, since }, blocked: [], absentFrom: [], kind: 'edit', state: 'pending' },
    ...{ seen: { roleIds: [], nickname: null }, standing: { gameUserId: null }, fence: 1, asOf: since, dueAt: since },
  };
}

export const storeDifference = (guildId: string, chatUserId: string, wish: Wish): Promise<unknown> =>
  PlannedChanges.insert(observedChange(guildId, chatUserId, wish));

/** A member's stored difference, in the lists' words; null: none is stored. */
export async function storedDifference(guildId: string, chatUserId: string) {
  const change = await differenceOf(guildId, chatUserId);
  if (change === null) return null;
  const { reasons, since } = change.observed;
  return { ...change.expected, reasons, since };
}
