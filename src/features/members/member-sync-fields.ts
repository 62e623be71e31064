import { z } from 'zod';
import { allRefusalCodes } from '../../lib/refusal-codes.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { syncTrigger } from '../../platforms/events/event-types.js';

// The fields in a member's document that syncs write.

export type SyncTrigger = z.output<typeof syncTrigger>;

/** A member's pending sync, until it is done. */
export const pendingSyncFields = z.strictObject({
  /** Unique to each pending sync, so that a sync completes only the one that it has read. */
  id: z.string(),
  trigger: syncTrigger,
  /** When it became necessary; absent if an older version has stored it. */
  since: z.date().exactOptional(),
  /** When the job may claim it; until then the process that made the change runs it. */
  dueAt: z.date(),
  /** Failed tries so far. */
  attempts: z.int(),
  /** Whether its removals have counted for the removal limit, with the resync that left the member to it. */
  counted: z.literal(true).exactOptional(),
});
export type PendingSync = z.output<typeof pendingSyncFields>;

/** An unverified member's pending join message (DISC-36). */
export const joinMessageFields = z.strictObject({
  /** The nonce by which Discord recognises a repeated message. */
  id: z.string(),
  since: z.date(),
  dueAt: z.date(),
  /** Whether it asks, by direct message, for consent to show the known account to the guild. */
  asksConsent: z.literal(true).exactOptional(),
});

/**
 * The changes that a sync is about to make: stored before the calls to Discord, removed once the result is recorded.
 */
export const applyingSyncFields = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  formerNickname: z.string().nullable(),
});
export type ApplyingSync = z.output<typeof applyingSyncFields>;

/** The facts that the last completed sync was planned from (RANK-4). A newer fact that differs makes a sync pending. */
export const wentByFields = z.strictObject({
  /** The linked account; null without a link. */
  gameUserId: z.string().nullable(),
  gone: z.literal(true).exactOptional(),
  /** The ranks in the groups of the rules, as `held-ranks.ts` has them; a gone group is missing. */
  held: z.array(z.string()),
  readAt: z.date(),
  rulesKey: z.string(),
});
export type WentBy = z.output<typeof wentByFields>;

/** The state that the last completed sync left on Discord. */
export const leftFields = z.strictObject({
  /** The roles held among those that the rules named, sorted. */
  roleIds: z.array(z.string()),
  nickname: z.string().nullable(),
});
export type Left = z.output<typeof leftFields>;

/** Names the nickname in role id lists. */
export const nicknameItself = 'nickname';

/** A role, or the nickname, that a sync set again after it was changed back. */
export const restoredFields = z.strictObject({ what: z.string(), at: z.date() });

/** A due role that is neither given nor taken, with the reason (SYNC-24). */
export const blockedRole = z
  .strictObject({
    roleId: z.string(),
    reason: blockReason,
    roleName: z.string().exactOptional().describe('refused_by_discord: as it was called then.'),
    detail: z.string().exactOptional().describe("refused_by_discord: Discord's reason, in its own words."),
  })
  .meta({ id: 'BlockedRole' });

/** A nickname that Discord refuses, with its reason; null: its removal. */
export const refusedNickname = z
  .strictObject({
    nickname: z.string().nullable(),
    detail: z.string().describe("Discord's own words."),
  })
  .meta({ id: 'RefusedNickname' });

/** A sync's part that Discord has refused without an obstacle known before (SYNC-28). */
export const refusedPart = z.strictObject({
  /** A role to be given or taken, or the nickname. */
  part: z.enum(['give', 'take', 'nickname']),
  roleId: z.string().exactOptional(),
  /** The role's name, or the requested nickname. */
  name: z.string().nullable(),
  words: z.string(),
  /** A key from all relevant facts: the part is tried again when it changes. */
  key: z.string(),
  at: z.date(),
});
export type RefusedPart = z.output<typeof refusedPart>;

/** The changes that one sync made to a member, or the reason for its failure. */
export const syncRecordFields = z.strictObject({
  at: z.date(),
  trigger: syncTrigger,
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  blocked: z.array(blockedRole),
  nicknameRefused: refusedNickname.exactOptional(),
  /** The guild's resync that it belonged to. */
  jobId: z.string().exactOptional(),
  /** The error code that it failed with. */
  error: z.enum([...allRefusalCodes, 'internal_error']).exactOptional(),
});
export type SyncRecord = z.output<typeof syncRecordFields>;
