import { trusted } from 'mongoose';
import { Plans } from './plan-model.js';

/** The resync id that waits for an admin to confirm its removals; with two, the whole one's. */
export async function waitingResync(guildId: string): Promise<string | null> {
  const held = { guildId, open: true as const, awaitingConfirmation: trusted({ $exists: true }) };
  const [first] = await Plans.find(held, { sort: { kind: -1 }, limit: 1, hint: { open: 1, guildId: 1, kind: 1 } });
  return first?._id ?? null;
}
