import type { ProofMethod } from '../../core/settings/guild-settings.js';

/** The ways to prove an account, from the one whose accounts are easiest to take to the hardest (SPEC §1). */
const byHardness: readonly ProofMethod[] = ['profile_code', 'discord_connection', 'oauth'];

/** Of these two proofs of the same account by the same person, the one that is harder to take. */
export function harderToTake(before: ProofMethod | undefined, now: ProofMethod): ProofMethod {
  return before !== undefined && byHardness.indexOf(before) > byHardness.indexOf(now) ? before : now;
}

/** The ways whose accounts any proof moves at once. */
export const easyToTake: ReadonlySet<ProofMethod> = new Set<ProofMethod>(['profile_code']);

/** Whether a proof moves an account at once, however it was proved before: a sign-in, and one that nobody objected to. */
export function overrulesAll({ method, overOAuth = false }: { method: ProofMethod; overOAuth?: boolean }): boolean {
  return method === 'oauth' || overOAuth;
}
