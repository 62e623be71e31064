import { z } from 'zod';
import { storedActor } from '../../core/actors/actor.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { pending } from '../../platforms/database/pending.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { rankRefusals } from '../../platforms/roblox/group-ranks.js';

/** The way of a change. */
const rankDoor = z.enum(['api', 'dashboard', 'discord']);
export type RankDoor = z.output<typeof rankDoor>;

/** The answer to a request to join a group. */
const requestDecision = z.enum(['accept', 'decline']);
export type RequestDecision = z.output<typeof requestDecision>;

/**
 * Why Roblox has not made a change. `not_made`: its answer was lost, and a later look found nothing changed; or the request
 * to join was gone.
 */
const rankRefusal = z.enum([...rankRefusals, 'not_made']);

/**
 * One change of a person's roles in a Roblox group. It is stored before Roblox is asked, and its result afterwards
 * (RANKING-14). The answer to a request to join the group is one too. The account needs no link here.
 */
export const rankChangeFields = z.strictObject({
  /** `rnk_` and 24 hex digits, sorted by age. */
  _id: z.string(),
  guildId: z.string(),
  groupId: z.string(),
  gameUserId: z.string(),
  gameUsername: z.string(),
  /** The linked member, if there is one here. */
  chatUserId: z.string().exactOptional(),
  actor: storedActor,
  /** The person or token for whose limit it counts. */
  by: z.string(),
  door: rankDoor,
  reason: z.string().exactOptional(),
  at: z.date(),
  state: z
    .enum(['intended', 'done', 'refused', 'unknown'])
    .describe('`unknown`: Roblox gave no answer, and the next look at the group tells. `intended`: it runs now.'),
  refusal: rankRefusal.exactOptional(),
  decision: requestDecision.exactOptional().describe('Of the answer to a request to join; null: a rank was changed.'),
  before: z.array(gameRole).describe('All roles in the group before, highest first.'),
  after: z.array(gameRole).describe('The same with the change.'),
  /** The id of the change taken back by this one. */
  undoes: z.string().exactOptional(),
  /** The id of its undo. */
  undoneBy: z.string().exactOptional(),
  /** Until its result is stored and the member is in step: when another process looks after it. */
  dueAt: z.date().exactOptional(),
});
export interface RankChange extends z.output<typeof rankChangeFields>, WithOutbox {}

export const byAccount = { gameUserId: 1, guildId: 1, _id: -1 } as const;

const schema = schemaOf<RankChange>('rank_changes', rankChangeFields);
// GET …/groups/:groupId/ranks, newest first.
schema.index({ guildId: 1, groupId: 1, _id: -1 });
// The limit by the hour: the latest changes of a person or token. Their erasure and export.
schema.index({ by: 1, guildId: 1, _id: -1 });
// The changes of a linked person: their erasure and export.
schema.index({ chatUserId: 1 }, { partialFilterExpression: { chatUserId: { $exists: true } } });
// Changes without a result, and members not in step yet.
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
// The latest change of an account in a guild: GET …/why. Without a guild, the changes of an account without a
// member then: their erasure and export, once somebody has it.
schema.index(byAccount);
giveOutbox(schema);

/** The lowest id of that second: ids begin with their time. */
export const firstIdAt = (at: Date): string =>
  `rnk_${Math.floor(at.getTime() / secondMs)
    .toString(16)
    .padStart(8, '0')}`;

export const RankChanges = new GuildModel<RankChange>('RankChange', schema);

/** Longer than a change's calls: no other process looks after a running one. */
export const claimMs = 2 * minuteMs;

export const dueChanges = pending<RankChange>(RankChanges.acrossGuilds, 'dueAt', {
  what: 'change of a rank',
  index: { dueAt: 1 },
  claimMs,
});
