import { usedIn } from './held-accounts.js';
import { peopleSteps } from './people-steps.js';
import { askOwner, type Stage } from './stage.js';
import type { Choice, StepKind } from './step.js';

// What a guild's owner does to ranks on Roblox, through the service.

export const rankSteps = {
  rank: {
    weight: 5,
    tell: ({ person, guild, value }) =>
      `the owner of ${guild} ranks ${person} or the next in the Army${isPatient(value) ? '' : ', without waiting'} (${value})`,
    act: rank,
  },
} satisfies Record<string, StepKind>;

/** Otherwise kills and changes by hand come in between. */
const isPatient = (value: number): boolean => value % 3 > 0;

interface Ranked {
  whom: { memberId: string } | { gameUserId: string };
  /** Highest first. */
  ranks: number[];
}

async function rank(stage: Stage, choice: Choice): Promise<void> {
  const { guild, value } = choice;
  const { ranking, confirmed } = stage;
  if (ranking === undefined) return;
  // Nobody ranks without an account of their own.
  if (!confirmed.accounts.has(guild.owner.id)) {
    await peopleSteps.link.act(stage, { ...choice, person: guild.owner, value: 0 });
  }
  const { whom, ranks } = ranked(stage, choice);
  const wish = { ...whom, ...targetOf(value, ranks, ranking.gameRoleIds) };
  const asked = askOwner(stage, guild, 'POST', `/groups/${ranking.groupId}/ranks`, wish);
  if (!isPatient(value)) {
    stage.ranksMove = true;
    stage.unawaited.push(asked);
    return;
  }
  const { status } = await asked;
  // It is settled at some moment.
  if (status === 202 || status >= 500) stage.ranksMove = true;
}

/** The person or, in most cases, the next one in the group, with an account here if possible. */
function ranked({ people, confirmed, roblox, ranking }: Stage, { guild, person, value }: Choice): Ranked {
  const at = people.indexOf(person);
  const ofEach = [...people.slice(at), ...people.slice(0, at)].map((one) => {
    const used = usedIn(confirmed, guild, one.id);
    const gameUserId = used ?? one.gameUserId;
    const ranks = roblox.ranksOf(ranking?.groupId ?? '', gameUserId) ?? [];
    return { id: one.id, isLinked: used !== undefined, gameUserId, ranks };
  });
  const inGroup = ofEach.filter(({ ranks }) => ranks.length > 0);
  const found = value % 8 === 7 ? undefined : (inGroup.find(({ isLinked }) => isLinked) ?? inGroup[0]);
  const { id, gameUserId, ranks } = found ?? { id: person.id, gameUserId: person.gameUserId, ranks: [] };
  return { whom: value % 5 < 2 ? { memberId: id } : { gameUserId }, ranks };
}

/** In most cases another rank; now and then one that is refused: their own, a missing step, or the owner's. */
function targetOf(value: number, [highest = 0]: readonly number[], [member, officer, leader]: readonly string[]) {
  const isOfficer = highest >= 100;
  if (value % 16 === 0) return { gameRoleId: leader };
  if (value % 16 === 1) return { step: isOfficer ? 1 : -1 };
  if (value % 2 === 0) return { step: isOfficer ? -1 : 1 };
  return { gameRoleId: isOfficer && value % 16 !== 3 ? member : officer };
}
