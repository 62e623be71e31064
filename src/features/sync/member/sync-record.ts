import { enterLog, type NewEntry, newEntry } from '../../../core/audit/audit-service.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import { clock } from '../../../lib/clock.js';
import { noteSync } from '../../members/member-service.js';
import { hasWork } from '../plan/plan.js';
import type { MadeChange, MemberChange } from './member-change.js';
import { syncEvents } from './sync-events.js';

/** Keeps what a sync has done, and tells of it: with the member, in the guild's log, and in its counters. */
export async function recordSync(change: MemberChange, made: MadeChange): Promise<void> {
  const { guildId, debt } = change;
  const { trigger, jobId } = change.cause;
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
  const entries = hasWork(plan) ? [entryOfSync(change, made)] : [];
  await noteSync(guildId, member, { record, told: [...syncEvents(change, made), ...entries], pays: debt });
  if (!hasWork(plan)) return;
  await enterLog(...entries);
  await countFact(guildId, 'synced');
}

function entryOfSync({ guildId, chatUserId, cause: { actor } }: MemberChange, { member, plan }: MadeChange): NewEntry {
  const { add, remove, nickname } = plan;
  return newEntry({
    guildId,
    actor,
    action: 'member.synced',
    target: { kind: 'member', id: chatUserId, name: member.username },
    changes: {
      ...(add.length + remove.length > 0 && { roles: { from: remove, to: add } }),
      ...(nickname !== undefined && { nickname: { from: member.nickname, to: nickname } }),
    },
  });
}
