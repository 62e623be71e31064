import { recordAudit } from '../../../core/audit/audit-service.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import { clock } from '../../../lib/clock.js';
import { noteSync } from '../../members/member-service.js';
import { hasWork } from '../plan/plan.js';
import type { MadeChange, MemberChange } from './member-change.js';
import { syncEvents } from './sync-events.js';

/** Keeps what a sync has done, and tells of it: with the member, in the guild's log, and in its counters. */
export async function recordSync(change: MemberChange, made: MadeChange): Promise<void> {
  const { guildId, chatUserId, debt } = change;
  const { trigger, actor, jobId } = change.cause;
  const { member, plan } = made;
  const { add, remove, nickname, blocked } = plan;
  const record = {
    at: clock.now(),
    trigger,
    added: add,
    removed: remove,
    blocked,
    ...(nickname !== undefined && { nickname }),
    ...(jobId !== undefined && { jobId }),
  };
  await noteSync(guildId, member, { record, events: syncEvents(change, made), pays: debt });
  if (!hasWork(plan)) return;
  await recordAudit({
    guildId,
    actor,
    action: 'member.synced',
    target: { kind: 'member', id: chatUserId, name: member.username },
    changes: {
      ...(add.length + remove.length > 0 && { roles: { from: remove, to: add } }),
      ...(nickname !== undefined && { nickname: { from: member.nickname, to: nickname } }),
    },
  });
  await countFact(guildId, 'synced');
}
