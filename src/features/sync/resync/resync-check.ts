import { trusted } from 'mongoose';
import { systemActor } from '../../../core/actors/actor.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { push } from '../../../platforms/events/outbox.js';
import { readMembershipsOfMany } from '../../../platforms/roblox/memberships.js';
import { readAgain } from '../../../platforms/roblox/second-reading.js';
import { noteMissing } from '../../members/account-gone.js';
import { postponeSync } from '../member/sync-debts.js';
import { isMassRemoval, missingGroups } from '../plan/guild-rules.js';
import { byMember, type ResyncChange, ResyncChanges } from './resync-change-model.js';
import { countLosing, groupsAtStake, updateChange } from './resync-changes.js';
import { entryOfResync } from './resync-ending.js';
import type { ResyncRun } from './resync-run.js';

/**
 * Looks at a whole plan before any of it is written (SPEC §6.2). Gives whether it may be: not before an admin has
 * confirmed that so many shall lose roles. Throws GamePlatformUnavailable.
 */
export async function checkPlan(run: ResyncRun): Promise<boolean> {
  await dropDoubtful(run);
  const { guildId, planned, confirmed } = run.job;
  const { massRemoval } = await readSettings(guildId);
  const losing = await countLosing(run.job);
  if (!confirmed && isMassRemoval(losing, planned.members, massRemoval)) {
    await holdBack(run, losing);
    return false;
  }
  await run.advance({ $set: { phase: 'applying' }, $unset: { waiting: 1 } });
  return true;
}

async function holdBack(run: ResyncRun, losing: number): Promise<void> {
  const { members } = run.job.planned;
  const share = losing / Math.max(1, members);
  const changes = { losing: { from: 0, to: losing }, members: { from: members, to: members } };
  const entry = entryOfResync(run.job, systemActor('mass-removal-brake'), 'resync.held', changes);
  const awaitingConfirmation = { losing, share, since: clock.now() };
  await run.advance({ $set: { awaitingConfirmation }, $unset: { waiting: 1 }, ...push(entry) });
  await enterLog(entry);
}

/** So many people are asked about through another interface; only if it contradicts the first, everybody is. */
const secondOpinions = 20;
/** How many changes are looked at together. */
const mostAtOnce = 5_000;

/**
 * Before anything is written: asks Roblox a second time about all who would lose something for not being in a group,
 * since an answer can be well-formed and empty by mistake (SPEC §6.2), and about some through another of its
 * interfaces, in case the first is wrong both times. Whoever is in doubt is left to a sync of their own.
 * Throws GamePlatformUnavailable.
 */
async function dropDoubtful(run: ResyncRun): Promise<void> {
  const { guildId, _id: jobId } = run.job;
  const atStake = { guildId, jobId, state: 'pending', 'absentFrom.0': trusted({ $exists: true }) } as const;
  const groupIds = await groupsAtStake(run.job);
  if (groupIds.length === 0) return;
  const gone = await missingGroups(groupIds, { fresh: true });
  const opinions = new SecondOpinions();
  for (let after = ''; ; ) {
    const changes = await ResyncChanges.acrossGuilds
      .find({ ...atStake, chatUserId: trusted({ $gt: after }) })
      .sort({ chatUserId: 1 })
      .limit(mostAtOnce)
      .hint(byMember)
      .lean<ResyncChange[]>();
    const last = changes.at(-1);
    if (last === undefined) return;
    after = last.chatUserId;
    const again = await readMembershipsOfMany(changes.map(gameUserIdOf), groupIds, { signal: run.signal });
    for (const change of changes) {
      const held = again.get(gameUserIdOf(change));
      const sure =
        held !== undefined && isAbsent(change, held) && isAbsent(change, gone) && (await opinions.agree(change));
      if (!sure) await leaveToOwnSync(change);
    }
    await run.check();
  }
}

/** What Roblox says through another interface: of the first few, or of everybody as soon as it has contradicted once. */
class SecondOpinions {
  #agreed = 0;
  #contradicted = false;

  async agree(change: ResyncChange): Promise<boolean> {
    if (!this.#contradicted && this.#agreed === secondOpinions) return true;
    const opinion = await readAgain(gameUserIdOf(change), change.absentFrom, new Map());
    if (opinion === 'agrees') this.#agreed += 1;
    if (opinion === 'contradicts') this.#contradicted = true;
    // A deleted account is no contradiction: it is looked at by itself.
    if (opinion === 'unknown') await noteMissing(gameUserIdOf(change));
    return opinion === 'agrees';
  }
}

const gameUserIdOf = ({ standing }: ResyncChange): string => standing.gameUserId ?? '';

function isAbsent({ absentFrom }: ResyncChange, groups: { has(groupId: string): boolean }): boolean {
  return !absentFrom.some((groupId) => groups.has(groupId));
}

async function leaveToOwnSync(change: ResyncChange): Promise<void> {
  await postponeSync(change.guildId, change.chatUserId, 'resync');
  await updateChange(change, { state: 'skipped' });
}
