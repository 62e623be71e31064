import { recordAudit } from '../audit/audit-service.js';
import type { Actor } from '../auth/actor.js';
import type { GuildMember } from '../discord/guild-members.js';
import type { GameIdentity, SyncTrigger } from '../members/member-model.js';
import { noteSync } from '../members/member-service.js';
import { countFact } from '../overview/daily-counters.js';
import type { SyncPlan } from './plan.js';

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

/** Keeps what a sync has done: with the member, in the guild's log, and in its counters. `member` is as they were. */
export async function recordSync(
  sync: {
    guildId: string;
    member: Pick<GuildMember, 'chatUserId' | 'username' | 'nickname'>;
    plan: Pick<SyncPlan, 'add' | 'remove' | 'nickname' | 'blocked'>;
    game: GameIdentity | null;
  },
  { trigger, actor }: SyncCause,
): Promise<void> {
  const { guildId, member, plan, game } = sync;
  const { add, remove, nickname, blocked } = plan;
  const record = { at: new Date(), trigger, added: add, removed: remove, blocked };
  await noteSync(guildId, member.chatUserId, nickname === undefined ? record : { ...record, nickname }, game);
  if (add.length + remove.length === 0 && nickname === undefined) return;
  await recordAudit({
    guildId,
    actor,
    action: 'member.synced',
    target: { kind: 'member', id: member.chatUserId, name: member.username },
    changes: {
      ...(add.length + remove.length > 0 && { roles: { from: remove, to: add } }),
      ...(nickname !== undefined && { nickname: { from: member.nickname, to: nickname } }),
    },
  });
  await countFact(guildId, 'synced');
}
