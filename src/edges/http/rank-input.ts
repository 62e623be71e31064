import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { RankDoor } from '../../features/ranking/rank-change-model.js';
import type { RankTarget } from '../../features/ranking/rank-ladder.js';
import type { RankedPerson, RankWish } from '../../features/ranking/rank-service.js';
import { lineOfText } from '../../lib/fields.js';
import { gameId, snowflake } from '../../lib/ids.js';

const exactlyOne = (...values: unknown[]): boolean => values.filter((value) => value !== undefined).length === 1;

const target = {
  memberId: snowflake.optional().describe('A member linked here; or name a Roblox account.'),
  gameUserId: gameId.optional().describe('A Roblox account, which needs no link here.'),
  gameRoleId: gameId.optional().describe('The role to give; or send a step.'),
  step: z
    .union([z.literal(1), z.literal(-1)])
    .optional()
    .describe('One rank up or down the ladder.'),
  seenGameRoleId: gameId
    .optional()
    .describe('Their highest role as the caller saw it: another one refuses the change.'),
};

const one = z.strictObject(target);
type One = z.output<typeof one>;

/** A person in a query or body: exactly one of a member linked here and a Roblox account. */
const person = { memberId: target.memberId, gameUserId: target.gameUserId };
const isOnePerson = ({ memberId, gameUserId }: { memberId?: string | undefined; gameUserId?: string | undefined }) =>
  exactlyOne(memberId, gameUserId);
const whom = 'needs memberId or gameUserId';

/** The query of GET …/groups/:groupId/ranks/offer. */
export const offerQuery = z.strictObject(person).refine(isOnePerson, { error: whom });

/** The person of a query or body. Pure. */
export const personOf = ({
  memberId,
  gameUserId = '',
}: {
  memberId?: string | undefined;
  gameUserId?: string | undefined;
}): RankedPerson => (memberId === undefined ? { gameUserId } : { memberId });

const isWhole = ({ memberId, gameUserId, gameRoleId, step }: Omit<One, 'seenGameRoleId'>): boolean =>
  exactlyOne(memberId, gameUserId) && exactlyOne(gameRoleId, step);

const error = 'needs memberId or gameUserId, and gameRoleId or step';

/** The body of POST …/groups/:groupId/ranks/preview. */
export const previewBody = one.omit({ seenGameRoleId: true }).refine(isWhole, { error }).meta({ id: 'RankToPreview' });

const reason = lineOfText(200).optional().describe('For the log.');

/** The body of POST …/groups/:groupId/ranks. */
export const rankBody = z
  .strictObject({ ...target, reason })
  .refine(isWhole, { error })
  .meta({ id: 'RankToGive' });

/** The body of POST …/groups/:groupId/ranks/many. */
export const ranksBody = z
  .strictObject({
    changes: z.array(one.refine(isWhole, { error })).min(1).max(10),
    reason,
    demotions: z
      .int()
      .min(0)
      .max(10)
      .optional()
      .describe('How many people stand lower afterwards: needed for more than five.'),
  })
  .meta({ id: 'RanksToGive' });

/** The body of POST …/groups/:groupId/join-requests. */
export const answersBody = z
  .strictObject({
    decision: z.enum(['accept', 'decline']),
    gameUserIds: z
      .array(gameId)
      .min(1)
      .max(10)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name an account twice' })
      .describe('The accounts of people asking to join.'),
    reason,
  })
  .meta({ id: 'JoinRequestsToAnswer' });

/** The change that a body asks for. Pure. */
export function wishOf(
  { memberId, gameUserId, seenGameRoleId, ...target }: One,
  rest: Pick<RankWish, 'groupId' | 'door' | 'reason'>,
): RankWish {
  return {
    ...rest,
    person: personOf({ memberId, gameUserId }),
    target: targetOf(target),
    seenGameRoleId,
  };
}

/** The rank that a body asks for. Pure. */
export const targetOf = ({ gameRoleId, step = 1 }: Pick<One, 'gameRoleId' | 'step'>): RankTarget =>
  gameRoleId === undefined ? { step } : { gameRoleId };

/** A person with a session comes by the dashboard. */
export const doorOf = ({ sessionId }: Actor): RankDoor => (sessionId === undefined ? 'api' : 'dashboard');

/** The refusals of each look at a person's rank for a change. */
export const rankReadRefusals = [
  'member_not_found',
  'not_in_group',
  'not_linked',
  'own_rank_unknown',
  'ranking_not_allowed',
  'ranking_off',
  'game_platform_closed',
  'game_platform_unavailable',
] as const;

/** The refusals of the requests to join a group. */
export const joinRequestRefusals = [
  'own_rank_unknown',
  'ranking_not_allowed',
  'ranking_off',
  'roblox_refused',
  'game_platform_closed',
  'game_platform_unavailable',
] as const;

/** The refusals of an answer to them. */
export const answerRefusals = [
  ...joinRequestRefusals,
  'owner_rank',
  'rank_above_key',
  'rank_above_limit',
  'rank_above_own',
] as const;

/** The refusals of a rank that is chosen. */
export const rankChoiceRefusals = [
  'game_role_not_found',
  'owner_rank',
  'rank_above_key',
  'rank_above_limit',
  'rank_above_own',
  'rank_of_own_account',
  'rank_unchanged',
] as const;

/** The refusals of each change of a rank. */
export const rankRefusals = [
  ...rankReadRefusals,
  ...rankChoiceRefusals,
  'rank_changed',
  'roblox_refused',
  'busy',
] as const;
