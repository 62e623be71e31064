import { z } from 'zod';
import { restrictionRule } from '../../core/settings/restrictions.js';
import { allRefusalCodes } from '../../lib/refusal-codes.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { syncTrigger } from '../../platforms/events/event-types.js';

// The parts of a member's document that syncs write.

export type SyncTrigger = z.output<typeof syncTrigger>;

/** A member's pending sync, until it is done. */
export const pendingSyncFields = z.strictObject({
  /** Unique to each pending sync, so that a sync completes only the one that it has read. */
  id: z.string(),
  trigger: syncTrigger,
  /** When the job may claim it; until then the process that made the change runs it. */
  dueAt: z.date(),
  /** Failed tries so far. */
  attempts: z.int(),
});
export type PendingSync = z.output<typeof pendingSyncFields>;

/** The pending join message of an unverified member (DISC-36). */
export const joinMessageFields = z.strictObject({
  /** By which Discord knows a message that is sent again. */
  id: z.string(),
  since: z.date(),
  dueAt: z.date(),
  /** It asks, by direct message, whether the guild may see the account that is known of them. */
  asksConsent: z.literal(true).exactOptional(),
});

/**
 * The changes that a sync is about to make: stored before the calls to Discord, removed once the result is recorded.
 */
export const applyingSyncFields = z.strictObject({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  /** The nickname before. */
  formerNickname: z.string().nullable(),
});
export type ApplyingSync = z.output<typeof applyingSyncFields>;

/** The facts that the last completed sync was planned from (RANK-4). A newer fact that differs makes a sync pending. */
export const wentByFields = z.strictObject({
  /** The linked account; null for nobody linked. */
  gameUserId: z.string().nullable(),
  /** Roblox had deleted or banned the account. */
  gone: z.literal(true).exactOptional(),
  /** The ranks in the groups that the rules named, as `held-ranks.ts` writes them; a group that was gone is missing. */
  held: z.array(z.string()),
  /** When the reading of these ranks began. */
  readAt: z.date(),
  /** The key of the guild's rules. */
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

/**
 * Why a member of a guild that only observes would be changed. `meets_rule` and `misses_rule`: of a mapping with the role;
 * `not_verified`: no account is linked.
 */
export const differenceReason = z.enum([
  'meets_rule',
  'misses_rule',
  'not_verified',
  'account_gone',
  'restricted',
  'nickname',
]);
export type DifferenceReason = z.output<typeof differenceReason>;

/** What a sync would do to a member of a guild that only observes. */
export const differenceFields = z.strictObject({
  give: z.array(z.string()),
  take: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  /** They would be kicked for this. */
  kick: restrictionRule.exactOptional(),
  /** One for each role, and one for the nickname or the kick. */
  reasons: z.array(
    z.strictObject({
      roleId: z.string().exactOptional(),
      code: differenceReason,
      /** The group that decides, and the role in it; null outside of it. */
      groupId: z.string().exactOptional(),
      gameRole: z.string().nullable().exactOptional(),
    }),
  ),
  /** The roles and the reasons, by which lists are filtered. */
  about: z.array(z.string()),
  /** Since when it is exactly this. */
  since: z.date(),
});
export type Difference = z.output<typeof differenceFields>;

/** Stands for the nickname where roles are named by their ids. */
export const nicknameItself = 'nickname';

/** A role, or the nickname, that a sync set again after somebody had changed it back. */
export const restoredFields = z.strictObject({ what: z.string(), at: z.date() });

/** A role that is due and neither given nor taken, and why (SYNC-24). */
export const blockedRole = z
  .strictObject({
    roleId: z.string(),
    reason: blockReason,
    roleName: z.string().exactOptional().describe('refused_by_discord: as it was called then.'),
    detail: z.string().exactOptional().describe('refused_by_discord: what Discord said, in its own words.'),
  })
  .meta({ id: 'BlockedRole' });

/** A nickname that Discord refuses, with its reason; null: its removal. */
export const refusedNickname = z
  .strictObject({
    nickname: z.string().nullable(),
    detail: z.string().describe('What Discord said, in its own words.'),
  })
  .meta({ id: 'RefusedNickname' });

/** A part of a sync that Discord has refused, though nothing spoke against it before (SYNC-28). */
export const refusedPart = z.strictObject({
  /** A role that was to be given or taken, or the nickname. */
  part: z.enum(['give', 'take', 'nickname']),
  roleId: z.string().exactOptional(),
  /** The role's name, or the requested nickname. */
  name: z.string().nullable(),
  /** Discord's reason. */
  words: z.string(),
  /** How all was that may have mattered: it is tried again when that is otherwise. */
  key: z.string(),
  at: z.date(),
});
export type RefusedPart = z.output<typeof refusedPart>;

/** The changes that one sync made to a member, or why it failed. */
export const syncRecordFields = z.strictObject({
  at: z.date(),
  trigger: syncTrigger,
  added: z.array(z.string()),
  removed: z.array(z.string()),
  nickname: z.string().nullable().exactOptional(),
  blocked: z.array(blockedRole),
  nicknameRefused: refusedNickname.exactOptional(),
  /** The resync of the guild that it was a part of. */
  jobId: z.string().exactOptional(),
  /** The code of the error that it failed with. */
  error: z.enum([...allRefusalCodes, 'internal_error']).exactOptional(),
});
export type SyncRecord = z.output<typeof syncRecordFields>;
