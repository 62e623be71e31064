import { type Actor, systemActor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { newPlan } from '../plan/new-plan.js';
import type { StoredPlan } from '../plan/plan-model.js';

/** A resync's people, or the preview that it applies; all people by default. */
export interface ResyncWish {
  memberIds?: readonly string[] | undefined;
  preview?: StoredPlan | undefined;
  /** Whether the guild then leaves observe mode. */
  goesLive?: true;
}

export const kindOf = ({ memberIds, preview }: ResyncWish): StoredPlan['kind'] =>
  memberIds === undefined && preview === undefined ? 'whole' : 'part';

/** Keeps a whole resync out of the log until it finds a change: a check after a restart is no news. */
export const reconciliationActor = systemActor('catch-up');

/** A resync as it begins. A preview keeps its id and its changes. */
export function draftResync(guild: Guild, actor: Actor, { memberIds, preview, goesLive }: ResyncWish): StoredPlan {
  const plan = newPlan(guild, actor, memberIds);
  const { askedBy: _, expiresAt: __, rulesKey: ___, ...shown } = preview ?? plan;
  return {
    ...{ ...shown, open: true, state: 'queued', actor: plan.actor, createdAt: plan.createdAt },
    ...(actor === reconciliationActor && { quiet: true }),
    ...(goesLive && { goesLive }),
  };
}
