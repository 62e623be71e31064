import type { Actor } from '../../core/actors/actor.js';
import { recordAudit } from '../../core/audit/audit-service.js';
import { type Guild, suspendGuild, unsuspendGuild } from '../../core/guilds/guild-service.js';
import { lineOfText } from '../../lib/fields.js';
import { wake } from '../../platforms/jobs/wake.js';
import { guildWasSuspended } from '../sync/resync/resync-ending.js';
import { catchUpGuilds } from '../sync/resync/resync-schedule.js';
import { cancelOpenResyncs } from '../sync/resync/resync-service.js';

/** Why a guild is suspended or restored, in words. */
export const suspensionReason = lineOfText(500);

/**
 * Suspends a guild, and cancels its resyncs, until a platform admin restores it (SPEC §5); `reason` is shown to its people. Throws NotFound
 * `guild_not_found`, Conflict `already_suspended`.
 */
export async function suspend(guildId: string, reason: string, actor: Actor): Promise<Guild> {
  const guild = await suspendGuild(guildId, reason, actor.id);
  await cancelOpenResyncs(guildId, guildWasSuspended);
  await record(guild, actor, 'guild.suspended', {
    state: { from: 'active', to: 'suspended' },
    reason: { from: null, to: reason },
  });
  return guild;
}

/**
 * Restores a suspended guild, which then catches up on what it missed. Throws NotFound `guild_not_found`, Conflict
 * `not_suspended`.
 */
export async function unsuspend(guildId: string, reason: string | null, actor: Actor): Promise<Guild> {
  const { suspension, ...guild } = await unsuspendGuild(guildId);
  await record(guild, actor, 'guild.unsuspended', {
    state: { from: 'suspended', to: 'active' },
    reason: { from: suspension?.reason ?? null, to: reason },
  });
  await wake(catchUpGuilds, {});
  return { ...guild, state: 'active' };
}

/** Logged in the guild's own log for its team, and in the platform's for its admins. */
async function record(
  { _id: id, name }: Guild,
  actor: Actor,
  action: 'guild.suspended' | 'guild.unsuspended',
  changes: Record<string, { from: unknown; to: unknown }>,
): Promise<void> {
  for (const guildId of [id, null]) {
    await recordAudit({ guildId, actor, action, target: { kind: 'guild', id, name }, changes });
  }
}
