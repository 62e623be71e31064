import { isDeepStrictEqual } from 'node:util';
import { clock } from '../../../lib/clock.js';
import { newcomer } from '../../members/member-model.js';
import type { PendingSync, SyncTrigger } from '../../members/member-sync-fields.js';
import { sinceThen } from '../../members/observed-members.js';
import { completeSync } from '../../members/pending-syncs.js';
import { upsertSynced } from '../../members/sync-notes.js';
import { differenceOf } from '../plan/difference.js';
import { type MemberState, nowOf } from '../plan/member-state.js';
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
 * Ends a sync in a guild in observe mode: nothing is written to Discord, and the difference is stored with the member
 * (OBS-1). If facts leave doubts, the stored ones stay, and it is planned again later. Throws Conflict `lease_lost`.
 */
export async function observe(sync: ObservedSync): Promise<void> {
  const { guildId, chatUserId, member, memberState, plan, lease, trigger, pending, isPending } = sync;
  if (memberState.doubt !== undefined) {
    await postponeSync(guildId, chatUserId, trigger);
    return;
  }
  const { stored, game, gone, ranks } = memberState;
  const facts = new SyncFacts(memberState, memberState.readAt);
  const wentBy = facts.wentBy({ gameUserId: game?.gameUserId ?? null, ranks, gone });
  const blockedBy = obstaclesOf(plan);
  const isDifferent = hasWork(plan);
  const difference = isDifferent
    ? sinceThen(differenceOf(plan, memberState, nowOf(memberState)), stored?.difference, clock.now())
    : undefined;
  const change = {
    $set: {
      ...{ wentBy, left: facts.left(member) },
      // A shown plan stays valid while the difference is the same.
      ...(!isDeepStrictEqual(difference, stored?.difference) && { syncFence: lease.fence }),
      ...(blockedBy.length > 0 && { blockedBy }),
      ...(difference !== undefined && { difference }),
    },
    $unset: {
      ...{ applying: 1, kicking: 1, contested: 1 },
      ...(blockedBy.length === 0 && { blockedBy: 1 }),
      ...(difference === undefined && { difference: 1 }),
    },
  };
  if (isPending && (await completeSync({ guildId, chatUserId, owedSync: pending }, lease.fence, change))) return;
  const made = { $setOnInsert: { ...newcomer(member), present: true } };
  await upsertSynced({ guildId, chatUserId }, lease.fence, { ...change, ...made });
}
