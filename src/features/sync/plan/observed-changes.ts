import { trusted } from 'mongoose';
import { clock } from '../../../lib/clock.js';
import { inPieces } from '../../../lib/in-pieces.js';
import { isDuplicateKey } from '../../../platforms/database/duplicate-key.js';
import { leaseLost } from '../../../platforms/database/lease.js';
import { Members, memberIndexes, upToFence } from '../../members/member-model.js';
import type { Difference } from './difference.js';
import { byMember, type Observed, type PlannedChange, PlannedChanges } from './planned-change-model.js';
import { changeFrom } from './planned-changes.js';

// The differences in a guild in observe mode are one plan's changes, which each sync keeps current (OBS-3). A member's
// flag `differs` says that their change counts. It is set after the change is stored, so a kill in between leaves a
// change that nobody sees; `removeOver` deletes it.

/** A change with the reasons for it. */
export type ObservedChange = PlannedChange & { observed: Observed };

const prefix = 'observed_';
/** The plan id that holds a guild's differences. */
export const observedPlan = (guildId: string): string => `${prefix}${guildId}`;
export const isObservedPlan = (planId: string): boolean => planId.startsWith(prefix);

/** Is among each difference's `about`, so that one index serves the whole list and each filter. */
export const anything = 'any';

const mostPerWrite = 200;
const perStep = 1_000;

/**
 * A difference's write; one that is exactly this keeps its time and fence. It finds nothing, and so inserts a second
 * one in vain, if a later sync has stored its own.
 */
function writeOf(guildId: string, { planned, reasons }: Difference) {
  const planId = observedPlan(guildId);
  const fence = planned.fence ?? 0;
  const at = clock.now();
  const { _id: _, ...change } = changeFrom({ _id: planId, guildId }, planned, { part: 0, asOf: at });
  const { chatUserId, expected } = change;
  const { add, remove } = expected;
  const about = [...new Set([anything, ...add, ...remove, ...reasons.map(({ code }) => code)])];
  const stored = { expected: '$expected', reasons: '$observed.reasons' };
  const isSame = { $eq: [stored, { $literal: { expected, reasons } }] };
  const since = { $cond: [isSame, '$observed.since', at] };
  const times = { fence: { $cond: [isSame, '$fence', fence] }, dueAt: since };
  const observed = { ...{ reasons: { $literal: reasons }, about: { $literal: about } }, since };
  return {
    filter: { guildId, planId, chatUserId, fence: upToFence(fence) },
    update: [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $literal: change }, { ...times, observed }] } }],
  };
}

/**
 * Stores the difference that a sync has found. Returns whether it is another than before. Throws Conflict `lease_lost`
 * if a later sync has stored its own.
 */
export async function keepDifference(guildId: string, difference: Difference): Promise<boolean> {
  const { filter, update } = writeOf(guildId, difference);
  const options = { upsert: true, returnDocument: 'after', projection: { fence: 1 }, hint: byMember } as const;
  try {
    const kept = await PlannedChanges.acrossGuilds.collection.findOneAndUpdate(filter, update, options);
    return kept?.fence === difference.planned.fence;
  } catch (error) {
    if (isDuplicateKey(error)) throw leaseLost(`sync:${guildId}:${filter.chatUserId}`);
    throw error;
  }
}

/** Stores the differences that a resync has found, except for members whose later sync has stored one. */
export async function keepDifferences(guildId: string, differences: readonly Difference[]): Promise<void> {
  const writes = differences.map((each) => ({
    updateOne: { ...writeOf(guildId, each), upsert: true, hint: byMember },
  }));
  for (const some of inPieces(writes, mostPerWrite)) {
    await PlannedChanges.acrossGuilds.collection.bulkWrite(some, { ordered: false }).catch(unlessLater);
  }
}

/** Throws the error, unless it only reports later syncs' differences. */
function unlessLater(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

/** A member's difference, if they have one; null: none is stored. */
export async function differenceOf(guildId: string, chatUserId: string): Promise<ObservedChange | null> {
  const change = await PlannedChanges.findOne({ guildId, planId: observedPlan(guildId), chatUserId });
  return change !== null && isObserved(change) ? change : null;
}

export const isObserved = (change: PlannedChange): change is ObservedChange => change.observed !== undefined;

/** Removes the differences from before this time whose member is without one by now. */
export async function removeOver(guildId: string, before: Date): Promise<void> {
  const older = { guildId, planId: observedPlan(guildId), asOf: trusted({ $lt: before }) };
  for (let after = ''; ; ) {
    const next = { ...older, chatUserId: trusted({ $gt: after }) };
    const changes = await PlannedChanges.find(next, { sort: { chatUserId: 1 }, limit: perStep, hint: byMember });
    const ids = changes.map(({ chatUserId }) => chatUserId);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
    const theirs = { guildId, chatUserId: trusted({ $in: ids }), differs: true as const };
    const differing = await Members.find(theirs, { hint: memberIndexes.chatUserId });
    const there = new Set(differing.map(({ chatUserId }) => chatUserId));
    const over = trusted({ $in: ids.filter((id) => !there.has(id)) });
    await PlannedChanges.acrossGuilds.deleteMany({ ...older, chatUserId: over }).hint(byMember);
  }
}
