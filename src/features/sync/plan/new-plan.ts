import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { newId } from '../../../lib/ids.js';
import { beginning } from './guild-plan.js';
import type { StoredPlan } from './plan-model.js';

/** A plan before its first part, not stored: for all members, or for these. */
export function newPlan(
  { _id: guildId, memberCount }: Pick<Guild, '_id' | 'memberCount'>,
  { kind, id, name }: Pick<Actor, 'kind' | 'id' | 'name'>,
  memberIds?: readonly string[],
): StoredPlan {
  return {
    _id: newId('job'),
    guildId,
    kind: memberIds === undefined ? 'whole' : 'part',
    state: 'queued',
    phase: 'planning',
    actor: { kind, id, name },
    memberIds: memberIds === undefined ? null : [...new Set(memberIds)],
    fixedPlan: false,
    estimate: memberIds?.length ?? memberCount,
    after: beginning,
    parts: 0,
    planned: { members: 0, settled: 0, unknown: 0, blocked: 0 },
    applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 },
    changedBefore: 0,
    fence: 0,
    createdAt: clock.now(),
  };
}
