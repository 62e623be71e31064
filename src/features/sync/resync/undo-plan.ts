import { Types, trusted } from 'mongoose';
import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { secondMs } from '../../../lib/time.js';
import { withLease } from '../../../platforms/database/lease.js';
import { newPlan } from '../plan/new-plan.js';
import { Plans, type StoredPlan } from '../plan/plan-model.js';
import { type PlannedChange, PlannedChanges } from '../plan/planned-change-model.js';
import { removeChanges } from '../plan/planned-changes.js';
import { inPages, noteMadeAhead } from './switch-making.js';

/** Maximum wait for a cancelled resync's worker, which may be a killed process. */
const resyncEndsWithinMs = 12 * secondMs;

/** The id for a switch's only undo. */
export const undoIdOf = (switchId: string): string => `${switchId}_undo`;

/** The plan that takes a switch back, before its changes. */
export function draftUndo(guild: Guild, actor: Actor, switchId: string): StoredPlan {
  const plan = newPlan(guild, actor, []);
  return {
    ...plan,
    _id: undoIdOf(switchId),
    kind: 'undo',
    open: true,
    memberIds: null,
    fixedPlan: true,
    undoes: switchId,
  };
}

/**
 * Plans an undo by the changes that its switch made, and by none that it only meant to make. Throws Conflict `busy`
 * while the switch still has a worker.
 */
export async function planUndo(undo: StoredPlan): Promise<StoredPlan> {
  const { _id: planId, guildId, undoes: _id = '' } = undo;
  // The resync that made the switch has ended then, and changes nothing after this reading.
  const options = { waitMs: resyncEndsWithinMs, holdMs: 10 * secondMs };
  await withLease(`resync:${_id}`, () => noteMadeAhead({ _id, guildId }), options);
  await removeChanges(undo);
  for await (const changes of inPages({ guildId, planId: _id, made: trusted({ $exists: true }) })) {
    await PlannedChanges.insertAll(changes.map((change) => ({ ...reversed(change), planId })));
  }
  const planned = { $set: { phase: 'applying', parts: 1, state: 'running' } } as const;
  return (await Plans.update({ _id: planId, guildId }, planned)) ?? undo;
}

/** The change that takes back what another one made. Pure. */
function reversed({ made = { add: [], remove: [] }, seen, ...change }: PlannedChange): PlannedChange {
  const isNamed = made.nickname !== undefined;
  const expected = { add: made.remove, remove: made.add, ...(isNamed && { nickname: seen.nickname }) };
  return {
    ...{ ...change, _id: new Types.ObjectId(), expected, blocked: [], kind: 'edit', state: 'pending', part: 0 },
    seen: { ...seen, nickname: isNamed ? (made.nickname ?? null) : seen.nickname },
    dueAt: clock.now(),
  };
}
