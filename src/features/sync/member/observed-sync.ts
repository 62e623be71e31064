import { announceLookUp, showsOtherRoles } from '../../members/look-up-changes.js';
import type { PendingSync, SyncTrigger } from '../../members/member-sync-fields.js';
import { noteSync } from '../../members/sync-notes.js';
import { reasonsOf } from '../plan/difference.js';
import { type MemberState, nowOf } from '../plan/member-state.js';
import { keepDifference } from '../plan/observed-changes.js';
import { hasWork, obstaclesOf, type SyncPlan } from '../plan/plan.js';
import type { SeenMember } from '../plan/seen-member.js';
import { SyncFacts } from '../plan/went-by.js';
import type { MemberChange } from './member-change.js';
import { postponeSync } from './sync-retries.js';

interface ObservedSync {
  guildId: string;
  chatUserId: string;
  member: SeenMember;
  memberState: MemberState;
  plan: SyncPlan;
  lease: Pick<MemberChange['lease'], 'fence'>;
  trigger: SyncTrigger;
  pending: PendingSync;
  isPending: boolean;
}

/**
 * Ends a sync in a guild in observe mode: nothing is written to Discord, and the difference becomes a planned change,
 * before the member says that there is one (OBS-1). If facts leave doubts, the stored ones stay, and it is planned again
 * later. Throws Conflict `lease_lost`.
 */
export async function observe(sync: ObservedSync): Promise<void> {
  const { guildId, chatUserId, member, memberState, plan, lease, trigger, pending, isPending } = sync;
  if (memberState.doubt !== undefined) {
    await postponeSync(guildId, chatUserId, trigger);
    return;
  }
  const { stored, game, gone, ranks } = memberState;
  const { gameUserId = null } = game ?? {};
  const facts = new SyncFacts(memberState, memberState.readAt);
  const basis = { wentBy: facts.wentBy({ gameUserId, ranks, gone }), left: facts.left(member), restored: [] };
  const differs = hasWork(plan);
  const planned = { member, plan, gameUserId, absentFrom: [], fence: lease.fence };
  const isNew = differs
    ? await keepDifference(guildId, { planned, reasons: reasonsOf(plan, memberState, nowOf(memberState)) })
    : stored?.differs === true;
  const completes = isPending ? pending : undefined;
  const noted = { basis, observed: { differs, isNew }, blockedBy: obstaclesOf(plan), outbox: [], completes, lease };
  await noteSync(guildId, member, noted);
  if (showsOtherRoles(stored, basis.left)) announceLookUp(guildId, gameUserId);
}
