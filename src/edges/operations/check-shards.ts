import { type Finding, fault } from './finding.js';

/** The finding for shards that no process has; none if all have one. */
export function shardFaults(missing: readonly string[]): Finding[] {
  if (missing.length === 0) return [];
  const shards = missing.join(', ');
  const todo = `Start a process with SHARDS=${missing[0]}, or correct SHARDS of the others.`;
  return [fault('shards_missing', `No process has the shards ${shards}.`, todo, { shards, first: missing[0] ?? '' })];
}
