import type { Actor } from '../../../core/actors/actor.js';
import { enterLog, type NewEntry, newEntry } from '../../../core/audit/audit-service.js';
import { clock } from '../../../lib/clock.js';
import type { Lease } from '../../../platforms/database/lease.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { newEvent, type OutboxEvent, push } from '../../../platforms/events/outbox.js';
import { type Member, Members, pushSync, syncedUpTo } from '../../members/member-model.js';
import { findMember } from '../../members/member-service.js';
import type { ApplyingSync, PendingSync, SyncTrigger } from '../../members/member-sync-fields.js';
import type { SyncPlan } from '../plan/plan.js';
import type { SeenMember } from '../plan/seen-member.js';
import { reversedOf } from './interrupted-sync.js';

interface SyncOf {
  guildId: string;
  chatUserId: string;
  gameUserId: string | null;
  cause: { trigger: SyncTrigger; actor: Actor; jobId?: string };
  /** The wish that the sync completes. */
  pending?: Pick<PendingSync, 'since'> | undefined;
}

type Telling = SyncOf & { lease: Pick<Lease, 'fence'> };

type Done = Pick<SyncPlan, 'add' | 'remove' | 'nickname'>;

/**
 * The log entry for a sync's changes to a member, given in the state before them, with the trigger and the ms since the
 * sync became necessary (LOG-25).
 */
export function entryOfSync(
  { guildId, chatUserId, cause: { actor, trigger }, pending }: SyncOf,
  { member, plan: { add, remove, nickname } }: { member: Pick<GuildMember, 'username' | 'nickname'>; plan: Done },
): NewEntry {
  const since = pending?.since;
  const tookMs = since && Math.max(0, clock.now().getTime() - since.getTime());
  return newEntry({
    guildId,
    actor,
    action: 'member.synced',
    target: { kind: 'member', id: chatUserId, name: member.username },
    changes: {
      ...(add.length + remove.length > 0 && { roles: { from: remove, to: add } }),
      ...(nickname !== undefined && { nickname: { from: member.nickname, to: nickname } }),
      trigger: { from: null, to: trigger },
      ...(tookMs !== undefined && { tookMs: { from: null, to: tookMs } }),
    },
  });
}

export function syncedEvent({ guildId, chatUserId, gameUserId, cause }: SyncOf, plan: Done): OutboxEvent {
  const { add: added, remove: removed, nickname } = plan;
  const done = { chatUserId, gameUserId, trigger: cause.trigger, added, removed };
  return newEvent('role.synced', guildId, { ...done, ...(nickname !== undefined && { nickname }) });
}

/**
 * Reports an interrupted sync's changes that this plan reverses. One write also removes their record, so that they are
 * reported once, even if this process is killed too.
 */
export async function reportReversed(
  sync: Telling & { stored: Member | null },
  member: SeenMember,
  plan: SyncPlan,
): Promise<void> {
  const { stored } = sync;
  const reversed = reversedOf(member, plan, stored?.applying);
  if (reversed === null || stored?.applying === undefined) return;
  await tell(sync, stored.applying, reversed);
}

/**
 * Reports the changes that an interrupted sync for a person, gone since, may have made: what Discord has refused or
 * never got is not among them.
 */
export async function tellOfLeaver(sync: Omit<Telling, 'gameUserId'>, stored: Member | null): Promise<void> {
  const now = stored && (await findMember(sync.guildId, sync.chatUserId));
  if (now?.applying === undefined) return;
  const { added: add, removed: remove, nickname, formerNickname } = now.applying;
  const plan = { add, remove, nickname, blocked: [] };
  const member = { username: now.chatUsername, nickname: formerNickname };
  await tell({ ...sync, gameUserId: now.gameUserId ?? null }, now.applying, { member, plan });
}

async function tell(
  sync: Telling,
  applying: ApplyingSync,
  done: { member: Pick<GuildMember, 'username' | 'nickname'>; plan: Done & Pick<SyncPlan, 'blocked'> },
): Promise<void> {
  const { guildId, chatUserId, cause, lease } = sync;
  const { add: added, remove: removed, nickname, blocked } = done.plan;
  if (added.length + removed.length === 0 && nickname === undefined) return;
  const named = nickname !== undefined && { nickname };
  const job = cause.jobId !== undefined && { jobId: cause.jobId };
  const record = { at: clock.now(), trigger: cause.trigger, added, removed, blocked, ...named, ...job };
  const entry = entryOfSync(sync, done);
  const { nickname: applied, ...rest } = applying;
  const left = {
    ...rest,
    added: applying.added.filter((roleId) => !added.includes(roleId)),
    removed: applying.removed.filter((roleId) => !removed.includes(roleId)),
    ...(nickname === undefined && applied !== undefined && { nickname: applied }),
  };
  const asStored = {
    'applying.added': applying.added,
    'applying.removed': applying.removed,
    ...(named !== false && { 'applying.nickname': nickname }),
  };
  const written = await Members.update(
    { guildId, chatUserId, ...syncedUpTo(lease.fence), ...asStored },
    {
      $set: { applying: left },
      $push: { ...pushSync(record), ...push(syncedEvent(sync, done.plan), entry).$push },
    },
  );
  if (written !== null) await enterLog(entry);
}
