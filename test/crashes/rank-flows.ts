import type { RankChange } from '../../src/features/ranking/rank-change-model.js';
import { askOwner, type Person } from '../model/stage.js';
import { type CrashFlow, castOf, link } from './crash-flows.js';
import type { CrashStage } from './crash-house.js';

// Red's owner changes a rank on Roblox, and takes somebody into the group.

const groupOf = ({ ranking }: CrashStage): string => ranking?.groupId ?? '';

async function linkOwnerAnd(stage: CrashStage, person: Person): Promise<void> {
  await link(stage, castOf(stage).red.owner);
  await link(stage, person);
}

/** The stored changes of a person, oldest first, and the log's entries about them. */
async function storedOf({ service: { db } }: CrashStage, person: Person, action: string) {
  const changes = await db
    .collection<RankChange>('rank_changes')
    .find({ gameUserId: person.gameUserId }, { sort: { _id: 1 } })
    .toArray();
  const entries = await db.collection('audit_log').countDocuments({ 'target.id': person.id, action });
  return { changes, entries };
}

/**
 * Whether the change is made, by Roblox, the stored changes and the log alike. Throws where they contradict each other.
 */
async function isMade(
  stage: CrashStage,
  person: Person,
  { action, before, after }: { action: string; before: readonly number[]; after: readonly number[] },
): Promise<boolean> {
  const ranks = stage.roblox.ranksOf(groupOf(stage), person.gameUserId) ?? [];
  const { changes, entries } = await storedOf(stage, person, action);
  const told = changes.map(({ state, refusal, dueAt }) => `${state} ${refusal ?? ''}${dueAt ? ' due' : ''}`.trim());
  const made = told.filter((each) => each === 'done').length;
  const unmade = told.filter((each) => each === 'refused not_made').length;
  const wanted = made === 1 ? after : before;
  const isWhole = made <= 1 && made + unmade === changes.length && entries === made;
  if (isWhole && ranks.join() === wanted.join()) return made === 1;
  throw new Error(`Ranks ${ranks.join() || 'none'}, ${entries} entries, and the changes: ${told.join() || 'none'}.`);
}

/** Cleo, a plain member with a link here. */
const rankChange: CrashFlow = {
  name: 'rank changed',
  prepare: (stage) => linkOwnerAnd(stage, castOf(stage).cleo),
  async act(stage) {
    const { red, cleo } = castOf(stage);
    const wish = { memberId: cleo.id, step: 1, reason: 'Crash.' };
    return (await askOwner(stage, red, 'POST', `/groups/${groupOf(stage)}/ranks`, wish)).status === 200;
  },
  isDone: (stage) => isMade(stage, castOf(stage).cleo, { action: 'member.ranked', before: [1], after: [100] }),
};

/** Ben, outside the group, with a link here. */
const requestAccepted: CrashFlow = {
  name: 'join request accepted',
  async prepare(stage) {
    const { ben } = castOf(stage);
    await linkOwnerAnd(stage, ben);
    stage.roblox.requestToJoin(groupOf(stage), ben.gameUserId);
  },
  async act(stage) {
    const { red, ben } = castOf(stage);
    const wish = { decision: 'accept', gameUserIds: [ben.gameUserId] };
    const { body } = await askOwner(stage, red, 'POST', `/groups/${groupOf(stage)}/join-requests`, wish);
    return body.results?.[0]?.result === 'accepted';
  },
  isDone: (stage) => isMade(stage, castOf(stage).ben, { action: 'join_request.accepted', before: [], after: [1] }),
};

export const rankFlows: readonly CrashFlow[] = [rankChange, requestAccepted];
