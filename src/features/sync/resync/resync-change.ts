import type { Guild } from '../../../core/guilds/guild-service.js';
import type { ExpectedChange } from '../member/due-change.js';
import type { SyncCause } from '../member/member-change.js';
import { syncMember } from '../member/member-sync.js';
import type { CrowdReading } from '../plan/member-state.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import type { PlannedChange } from '../plan/planned-change-model.js';
import { type SeenMember, seenFrom } from '../plan/seen-member.js';
import { isOld } from './resync-ranks.js';

/** One change's result. `blocked` lists its obstacles, from the start or since. */
export interface ChangeOutcome {
  state: 'done' | 'skipped';
  blocked: SyncPlan['blocked'];
  /** Whether another sync has settled the change, so that this resync wrote nothing. */
  isSettled?: true;
  /** The expected parts that were made, by this or by another sync. */
  made?: NonNullable<PlannedChange['made']>;
}

export interface ChangeOptions {
  guild: Guild;
  cause: SyncCause;
  /** Only the changes shown, and only if the member is unchanged on Discord since the plan. */
  onlyAsSeen: boolean;
  /** The facts for planning it again. */
  reading: CrowdReading;
}

/**
 * Syncs one member in a resync, within the counted changes (RESYNC-12). Done also covers a member that a single sync
 * brought in step since the plan was read, unless the plan was shown. Skipped: members that were otherwise synced or
 * relinked since, left, or are now in step. Throws as `syncMember` does.
 */
export async function applyChange(change: PlannedChange, options: ChangeOptions): Promise<ChangeOutcome> {
  const { guild, cause, onlyAsSeen, reading } = options;
  const mustRead = onlyAsSeen || isOld(change.asOf) || change.seen.profile === undefined;
  const within = { expected: expectedBy(change), exactly: onlyAsSeen, reading, mustRead };
  const outcome = await syncMember(guild, change.chatUserId, cause, within);
  const { added: add = [], removed: remove = [], nickname } = outcome.made ?? {};
  const made = { add, remove, ...(nickname !== undefined && { nickname }) };
  const isOvertaken = outcome.state === 'overtaken';
  const blocked = isOvertaken ? change.blocked : outcome.blocked;
  const settled = isOvertaken && { isSettled: true as const };
  const isDone = hasWork({ nickname, ...made }) && !(isOvertaken && onlyAsSeen);
  return isDone ? { state: 'done', blocked, made, ...settled } : { state: 'skipped', blocked, ...settled };
}

function expectedBy(change: PlannedChange): ExpectedChange {
  const { expected, standing, fence = null, asOf } = change;
  return { ...expected, seen: seenBy(change), gameUserId: standing.gameUserId, fence, asOf };
}

/** The member as this change's plan saw them. */
export const seenBy = ({ chatUserId, chatUsername, seen }: PlannedChange): SeenMember =>
  seenFrom(chatUserId, chatUsername, seen);
