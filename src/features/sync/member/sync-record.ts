import type { Actor } from '../../../core/actors/actor.js';
import { recordAudit } from '../../../core/audit/audit-service.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import { clock } from '../../../lib/clock.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { GameIdentity, Member, OwedSync, SyncTrigger } from '../../members/member-model.js';
import { noteSync } from '../../members/member-service.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import { syncEvents } from './sync-events.js';

/** Why a member is synced, and on whose behalf; `jobId` where a guild's resync does it. */
export interface SyncCause {
  trigger: SyncTrigger;
  actor: Actor;
  jobId?: string;
}

/** What Discord's audit log is told (X-Audit-Log-Reason takes 512 characters). */
export function reasonOf({ trigger, actor, jobId }: SyncCause): string {
  const job = jobId === undefined ? '' : ` ${jobId}`;
  const by = actor.kind === 'system' ? '' : ` by ${actor.name || actor.id}`;
  return `Rolelink ${trigger}${job}${by}`.slice(0, 512);
}

/** A sync that was made, and of whom as they were before. */
export interface MadeSync {
  guildId: string;
  member: Pick<GuildMember, 'chatUserId' | 'username' | 'nickname'>;
  plan: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'blocked'>;
  stored: Member | null;
  gameUserId: string | null;
  /** The names on Roblox, where they were asked for. */
  game: GameIdentity | null;
  /** As in `SyncNote`. */
  pays?: OwedSync;
}

/** Keeps what a sync has done, and tells of it: with the member, in the guild's log, and in its counters. */
export async function recordSync(sync: MadeSync, { trigger, actor }: SyncCause): Promise<void> {
  const { guildId, member, plan, stored, gameUserId, game, pays } = sync;
  const { add, remove, nickname, blocked } = plan;
  const { chatUserId } = member;
  const done = { at: clock.now(), trigger, added: add, removed: remove, blocked };
  const record = nickname === undefined ? done : { ...done, nickname };
  const events = syncEvents({ guildId, chatUserId, gameUserId, trigger, plan, formerSyncs: stored?.syncs ?? [] });
  await noteSync(guildId, member, { record, events, game, ...(pays !== undefined && { pays }) });
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
