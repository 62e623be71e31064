import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { clock } from '../../lib/clock.js';
import { dayMs } from '../../lib/time.js';
import { push } from '../../platforms/events/outbox.js';
import { type ImportCounts, type ImportFault, type PeopleImport, PeopleImports } from './people-import-model.js';

/** The time within which an import can be undone. */
const undoableMs = dayMs;

/** An open import whose undo has not begun. */
export const underWay = { open: true as const, undo: trusted({ $exists: false }) };

/**
 * Ends an open import. The same write removes its key; its log entry records the result. `counts` are added by the same write,
 * so that they count once. Returns the ended import; null if it had ended before.
 */
export async function importEnding(
  { _id, guildId }: Pick<PeopleImport, '_id' | 'guildId'>,
  actor: Actor,
  state: 'completed' | 'failed' | 'cancelled',
  { fault, counts = {} }: { fault?: ImportFault; counts?: Partial<ImportCounts> } = {},
): Promise<PeopleImport | null> {
  const entry = newEntry({
    ...{ guildId, actor, action: 'people.import_ended', target: { kind: 'people-import', id: _id } },
    changes: {
      state: { from: 'running', to: state },
      ...(fault !== undefined && { fault: { from: null, to: fault } }),
    },
  });
  const now = clock.now();
  const ended = await PeopleImports.update(
    { _id, guildId, ...underWay },
    {
      $set: {
        state,
        finishedAt: now,
        undoableUntil: new Date(now.getTime() + undoableMs),
        ...(fault !== undefined && { fault }),
      },
      $unset: { open: 1, sealedKey: 1, waitsUntil: 1, waits: 1 },
      ...(Object.keys(counts).length > 0 && { $inc: incrementsOf(counts) }),
      ...push(entry),
    },
  );
  if (ended === null) return null;
  await enterLog(entry);
  return ended;
}

/** The counts as `$inc` adds them to an import. */
export const incrementsOf = (counts: Partial<ImportCounts>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([what, by]) => [`counts.${what}`, by]));

/** Ends an import that can't continue, with the reason. */
export class ImportEnds extends Error {
  constructor(readonly fault: ImportFault) {
    super(fault);
  }
}

/** Pauses an import for these milliseconds, at the other bot's request. */
export class ImportWaits extends Error {
  constructor(readonly waitMs: number) {
    super('The other bot asks to wait.');
  }
}
