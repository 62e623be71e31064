import type { Actor } from '../../core/actors/actor.js';
import { type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import { type Guild, suspendGuild, unsuspendGuild } from '../../core/guilds/guild-service.js';
import { lineOfText } from '../../lib/fields.js';
import { poke } from '../../platforms/jobs/standing.js';
import { guildWasSuspended } from '../sync/resync/resync-ending.js';
import { reconcileGuilds } from '../sync/resync/resync-schedule.js';
import { cancelOpenResyncs } from '../sync/resync/resync-service.js';

export const suspensionReason = lineOfText(500);

/**
 * Suspends a guild, and cancels its resyncs, until a platform admin restores it (API-76). `reason` is shown
 * to its people. Throws NotFound
 * `guild_not_found`, Conflict `already_suspended`.
 */
export async function suspend(guildId: string, reason: string, actor: Actor): Promise<Guild> {
  const changes = { state: { from: 'active', to: 'suspended' }, reason: { from: null, to: reason } };
  const entries = (guild: Guild) => entriesOf(guild, actor, 'guild.suspended', changes);
  const guild = await suspendGuild(guildId, reason, actor.id, entries);
  await cancelOpenResyncs(guildId, guildWasSuspended);
  return guild;
}

/**
 * Restores a suspended guild and enqueues its reconciliation. Throws NotFound `guild_not_found`, Conflict
 * `not_suspended`.
 */
export async function unsuspend(guildId: string, reason: string | null, actor: Actor): Promise<Guild> {
  const { suspension, ...guild } = await unsuspendGuild(guildId, (before) =>
    entriesOf(before, actor, 'guild.unsuspended', {
      state: { from: 'suspended', to: 'active' },
      reason: { from: before.suspension?.reason ?? null, to: reason },
    }),
  );
  poke(reconcileGuilds);
  return { ...guild, state: 'active' };
}

/** Logged in the guild's own log for its team, and in the platform's for its admins. */
function entriesOf(
  { _id: id, name }: Guild,
  actor: Actor,
  action: 'guild.suspended' | 'guild.unsuspended',
  changes: Record<string, { from: unknown; to: unknown }>,
): NewEntry[] {
  const target = { kind: 'guild', id, name };
  return [id, null].map((guildId) => newEntry({ guildId, actor, action, target, changes }));
}
