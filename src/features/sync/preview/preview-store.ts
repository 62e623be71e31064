import { LRUCache } from 'lru-cache';
import { clock } from '../../../lib/clock.js';
import { livesMs, type PreviewRun } from './preview-run.js';
import { mostOfOnePerson, previewExpired } from './stored-previews.js';

/** Maximum memory for all previews together, in kilobytes; the least recently used give way. */
const mostMemory = 50_000;
const mostMemoryOfOnePerson = mostMemory / 5;

/** This process's unfinished previews, for a short time. */
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

/**
 * Keeps a new preview for 15 minutes, to be continued. The same person's oldest among many, or large ones, give way.
 */
export function keepPreview(run: PreviewRun): void {
  const others = [...previews.values()].filter((other) => other.run.askedBy === run.askedBy && other.run !== run);
  let memory = sizeOf(run);
  for (const [place, { run: other }] of others.entries()) {
    memory += sizeOf(other);
    if (place + 1 >= mostOfOnePerson || memory > mostMemoryOfOnePerson) previews.delete(other.previewId);
  }
  previews.set(run.previewId, { run }, { size: sizeOf(run) });
}

/** Updates a preview's stored size, if it is still kept. */
export function notePreviewGrowth(run: PreviewRun): void {
  if (previews.has(run.previewId)) keepPreview(run);
}

const sizeOf = (run: PreviewRun): number => Math.min(run.size, mostMemory / 2);

/** The guild's preview with this id, to be continued; undefined if this process does not have it (any more). */
export function findPreview(guildId: string, previewId: string): PreviewRun | undefined {
  const run = previews.get(previewId)?.run;
  return run?.guildId === guildId ? run : undefined;
}
