import { trusted } from 'mongoose';
import { Members, memberIndexes } from './member-model.js';

/** Maximum members counted: a larger count wouldn't help. */
const mostCounted = 1_000;

/** For each role, and the nickname (`nicknameItself`), for how many guild members it is repeatedly changed back. */
export async function countContested(guildId: string): Promise<ReadonlyMap<string, number>> {
  const theirs = { guildId, contested: trusted({ $exists: true }), present: true };
  const found = await Members.find(theirs, { limit: mostCounted, hint: memberIndexes.contested });
  const counts = new Map<string, number>();
  for (const what of found.flatMap(({ contested = [] }) => contested)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return counts;
}
