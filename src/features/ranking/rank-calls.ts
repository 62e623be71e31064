import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { currentLane } from '../../lib/lane.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import {
  assignGroupRole,
  type RankOutcome,
  type RankRefusal,
  unassignGroupRole,
} from '../../platforms/roblox/group-ranks.js';
import type { RankMove } from './rank-ladder.js';

/** The result of a move's calls. `unknown`: Roblox may have made a part of it. */
export type MoveOutcome =
  | { kind: 'done'; gameRoleIds: readonly string[]; at: Date }
  | { kind: 'refused'; reason: RankRefusal; retryAfterSeconds?: number }
  | { kind: 'unknown' };

interface Person {
  groupId: string;
  gameUserId: string;
}

/**
 * Assigns the new roles first, so that a member is never without them, and then unassigns the old ones (RANKING-10). A
 * refusal after the first call leaves a part; the settling finishes it or takes it back.
 */
export async function makeMove(person: Person, move: Pick<RankMove, 'assign' | 'unassign'>): Promise<MoveOutcome> {
  const calls = [
    ...move.assign.map((role) => () => assignGroupRole(changeOf(person, role), signalNow())),
    ...move.unassign.map((role) => () => unassignGroupRole(changeOf(person, role), signalNow())),
  ];
  let last: RankOutcome | undefined;
  for (const call of calls) {
    const outcome = await call().catch(noAnswer);
    if (outcome === null) return { kind: 'unknown' };
    if (outcome.kind === 'refused') return last === undefined ? outcome : { kind: 'unknown' };
    last = outcome;
  }
  return last?.kind === 'done' ? { ...last, at: clock.now() } : { kind: 'unknown' };
}

function noAnswer(error: unknown): null {
  if (error instanceof GamePlatformUnavailable) return null;
  throw error;
}

const changeOf = (person: Person, { gameRoleId }: GameRole) => ({ ...person, gameRoleId });

const signalNow = (): AbortSignal => currentLane().signal ?? new AbortController().signal;
