import type { Actor } from '../../core/actors/actor.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { AppError, GamePlatformUnavailable } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { currentLane } from '../../lib/lane.js';
import { withLease } from '../../platforms/database/lease.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import {
  answerJoinRequest,
  type JoinRequest,
  type RequestOutcome,
  readJoinRequestOf,
} from '../../platforms/roblox/join-requests.js';
import type { Member } from '../members/member-model.js';
import { mayNotAnswer } from './join-requests.js';
import { claimMs, type RankChange, type RankDoor, type RequestDecision } from './rank-change-model.js';
import { storeDone, storeIntended, storeRefused, storeUnknown, storeUnmade } from './rank-change-store.js';
import { refusalOf } from './rank-guards.js';
import { readRanks } from './rank-reading.js';
import { ownRank, refusedByRoblox } from './rank-refusals.js';
import { settingOf, subjectOf } from './rank-service.js';
import { lookAgainMs, pokeSettling } from './rank-settling.js';
import { followRank } from './rank-sync.js';
import type { Ranker } from './ranker.js';

export interface RequestAnswers {
  groupId: string;
  decision: RequestDecision;
  gameUserIds: readonly string[];
  reason?: string | undefined;
  door: RankDoor;
}

/**
 * The result for one person. `gone`: there is no such request any more, answered or withdrawn. `unknown`: Roblox gave no
 * answer, and the request is settled later.
 */
export type AnsweredRequest =
  | { gameUserId: string; result: 'accepted' | 'declined' | 'gone' | 'unknown' }
  | { gameUserId: string; result: 'refused'; refusal: AppError };

interface Answering {
  guild: Guild;
  actor: Actor;
  group: LinkedGroup;
  ranker: Ranker;
  /** The role of those taken in. */
  base: GameRole;
}

/**
 * Accepts or declines requests to join a group, each by itself, in the order of the wish. The author must be able to give
 * the group's lowest rank (RANKING-26). Throws as `settingOf` and `refusalOf` do for the group as a whole, and
 * GamePlatformUnavailable.
 */
export async function answerJoinRequests(guild: Guild, actor: Actor, wish: RequestAnswers): Promise<AnsweredRequest[]> {
  const { group, ranker } = await settingOf(guild, actor, wish.groupId);
  const { roles, around } = await readRanks(wish.groupId, [], ranker.gameUserId);
  const base = roles.find(({ rank }) => rank > 0);
  if (base === undefined) throw new GamePlatformUnavailable();
  const refusal = refusalOf({ before: [base], after: [base], assign: [base], unassign: [] }, ranker, around);
  if (refusal !== null) throw refusal;
  const answering = { guild, actor, group, ranker, base };
  const results: AnsweredRequest[] = [];
  for (const gameUserId of wish.gameUserIds) {
    results.push(await answerOne(answering, gameUserId, wish).catch((error: unknown) => refused(gameUserId, error)));
  }
  return results;
}

function refused(gameUserId: string, error: unknown): AnsweredRequest {
  if (error instanceof AppError) return { gameUserId, result: 'refused', refusal: error };
  throw error;
}

async function answerOne(answering: Answering, gameUserId: string, wish: RequestAnswers): Promise<AnsweredRequest> {
  const { guild, group, ranker } = answering;
  if (ranker.ownGameUserIds.has(gameUserId)) throw ownRank();
  // Changes of one person in a group never overlap, in any process.
  return withLease(`rank:${group.groupId}:${gameUserId}`, async () => {
    const request = await readJoinRequestOf(group.groupId, gameUserId);
    if (request === 'not_allowed') throw mayNotAnswer();
    if (request === null) return { gameUserId, result: 'gone' };
    await storeUnmade({ groupId: group.groupId, gameUserId });
    const { member } = await subjectOf(guild, { gameUserId });
    return make(answering, { request, member }, wish);
  });
}

/** Stores the intended answer, gives it, and stores the result (RANKING-27). */
async function make(
  { guild, actor, group, ranker, base }: Answering,
  { request, member }: { request: JoinRequest; member: Member | null },
  { decision, reason, door }: RequestAnswers,
): Promise<AnsweredRequest> {
  const { gameUserId } = request;
  const at = clock.now();
  const change: RankChange = {
    ...{ _id: newId('rnk', at), guildId: guild._id, groupId: group.groupId, gameUserId, decision },
    gameUsername: member?.gameUsername ?? (await readGameUser(gameUserId))?.gameUsername ?? gameUserId,
    ...(member !== null && { chatUserId: member.chatUserId }),
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    ...{ by: ranker.by, door, at, state: 'intended', before: [], after: decision === 'accept' ? [base] : [] },
    ...(reason !== undefined && { reason }),
    dueAt: new Date(at.getTime() + claimMs),
  };
  await storeIntended(change, ranker);
  const outcome = await send(change, request);
  if (outcome === null) {
    await storeUnknown(change, lookAgainMs);
    pokeSettling(lookAgainMs);
    return { gameUserId, result: 'unknown' };
  }
  if (outcome.kind === 'refused') return notMade(change, outcome);
  const follows = decision === 'accept' && member !== null;
  const done = await storeDone(change, { group, member }, { after: change.after, isOpen: follows });
  if (follows) await followRank(guild, done ?? change);
  return { gameUserId, result: decision === 'accept' ? 'accepted' : 'declined' };
}

/** Null: the result is unknown. */
async function send(
  { groupId, decision = 'decline' }: RankChange,
  { requestId }: JoinRequest,
): Promise<RequestOutcome | null> {
  try {
    const signal = currentLane().signal ?? new AbortController().signal;
    return await answerJoinRequest(decision, { groupId, requestId }, signal);
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return null;
    throw error;
  }
}

async function notMade(
  change: RankChange,
  { reason, retryAfterSeconds }: Extract<RequestOutcome, { kind: 'refused' }>,
): Promise<AnsweredRequest> {
  const { gameUserId } = change;
  await storeRefused(change, reason === 'request_unknown' ? 'not_made' : reason);
  if (reason === 'request_unknown') return { gameUserId, result: 'gone' };
  if (reason === 'permission') throw mayNotAnswer();
  throw refusedByRoblox(reason, retryAfterSeconds);
}
