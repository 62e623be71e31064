import { LRUCache } from 'lru-cache';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { minuteMs } from '../../../lib/time.js';
import type { PreviewRun } from './preview-run.js';

const livesMs = 15 * minuteMs;
/** In kilobytes, of all previews together; those not used for longest give way. */
const mostMemory = 50_000;
/** Of one person, who can so push out their own alone. */
const mostOfOnePerson = 5;
const mostMemoryOfOnePerson = mostMemory / 5;

/** Previews live in this process only, and not for long: they are gone after a restart, as if they had expired. */
const previews = new LRUCache<string, { run: PreviewRun }>({
  maxSize: mostMemory,
  ttl: livesMs,
  ttlAutopurge: true,
  noUpdateTTL: true,
  perf: { now: () => clock.monotonicMs() },
  ttlResolution: 0,
  dispose({ run }, _previewId, reason) {
    if (reason !== 'set') run.close(previewExpired());
  },
});

/** What is said of a preview that is not there (any more). */
export function previewExpired(message = 'This preview has expired. Make a new one.'): AppError {
  return new AppError('preview_expired', message);
}

/** Keeps a new preview for 15 minutes. The oldest of many, or large ones, of the same person give way. */
export function keepPreview(run: PreviewRun): void {
  const others = [...previews.values()].filter((other) => other.run.askedBy === run.askedBy && other.run !== run);
  let memory = sizeOf(run);
  for (const [place, { run: other }] of others.entries()) {
    memory += sizeOf(other);
    if (place + 1 >= mostOfOnePerson || memory > mostMemoryOfOnePerson) previews.delete(other.previewId);
  }
  previews.set(run.previewId, { run }, { size: sizeOf(run) });
}

/** Notes that a preview has grown, if it is still kept. */
export function notePreviewGrowth(run: PreviewRun): void {
  if (previews.has(run.previewId)) keepPreview(run);
}

const sizeOf = (run: PreviewRun): number => Math.min(run.size, mostMemory / 2);

/** The preview with this id in the guild; undefined when it is not there (any more). */
export function findPreview(guildId: string, previewId: string): PreviewRun | undefined {
  const run = previews.get(previewId)?.run;
  return run?.guildId === guildId ? run : undefined;
}
