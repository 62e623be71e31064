import { z } from 'zod';
import { gameId, snowflake } from '../../lib/ids.js';

const chatUserId = snowflake.describe("The person's Discord id");
const gameUserId = gameId.describe("The Roblox account's id");
const gameUsername = z.string().describe("The Roblox account's name when this happened");
const moment = z.iso.datetime({ precision: 3 });
const roleIds = z.array(snowflake);

export const syncTrigger = z.enum([
  'verification',
  'link',
  'unlink',
  'join',
  'command',
  'api',
  'resync',
  'account',
  'rank_change',
  'fact',
]);

/** Each event's data (HOOK-5). Subscribers depend on it: fields may be added and are never removed. */
export const eventData = {
  'verification.completed': z.strictObject({ chatUserId, gameUserId, gameUsername }),
  'verification.failed': z.strictObject({
    chatUserId,
    reason: z.enum([
      'code_not_found',
      'game_account_not_found',
      'account_too_new',
      'oauth_denied',
      'oauth_invalid',
      'game_platform_unavailable',
      'rejected_by_person',
      'objected_by_owner',
      'superseded',
      'connection_missing',
      'connection_differs',
      'stronger_proof',
    ]),
    method: z.enum(['oauth', 'discord_connection', 'profile_code', 'game_code']),
    attempt: z
      .int()
      .min(1)
      .describe(
        'Which proof of the session it was. One that Roblox left unanswered is not counted: the next is the same',
      ),
  }),
  'member.unlinked': z.strictObject({
    chatUserId,
    gameUserId,
    gameUsername,
    reason: z
      .enum(['self', 'admin', 'transferred', 'erased'])
      .describe('transferred: another person has proved that the Roblox account is theirs'),
    actorId: z.string().describe("The actor: a Discord id, a token's id, or the name of an automatic actor"),
  }),
  'role.synced': z.strictObject({
    chatUserId,
    gameUserId: gameUserId.nullable().describe('Null without a link, as after an unlink'),
    trigger: syncTrigger.describe('The trigger of the sync. A resync only reports members that it changed'),
    added: roleIds,
    removed: roleIds,
    nickname: z
      .string()
      .nullable()
      .optional()
      .describe('The new nickname, null when it was taken away; absent when kept'),
  }),
  'role.sync_failed': z.strictObject({
    chatUserId,
    reason: z
      .enum([
        'rate_limited',
        'role_hierarchy',
        'missing_permission',
        'became_dangerous',
        'removal_limit',
        'refused_by_discord',
        'member_gone',
        'game_platform_unavailable',
        'chat_platform_unavailable',
        'internal_error',
      ])
      .describe(
        'role_hierarchy: roles that the bot cannot hand out by their place or kind, or that are deleted; became_dangerous: roles that wait for an admin to confirm their new permissions; removal_limit: roles whose removal waits for an admin, since too many people would lose roles; refused_by_discord: roles or a nickname that Discord does not take, as `detail` says, while the rest is done',
      ),
    roleIds: roleIds.describe('The roles that could not be given or taken, where known'),
    attempt: z.int().min(1).describe('How many times in a row this sync has failed by now'),
    willRetry: z.boolean().describe('Whether it will be retried automatically'),
    nickname: z.string().nullable().optional().describe('The nickname that Discord refused, null for its removal'),
    detail: z.string().optional().describe("Discord's own words for its refusal"),
  }),
  'guild.suspended': z.strictObject({ reason: z.string(), suspendedAt: moment }),
} as const;

export type EventName = keyof typeof eventData;
export type EventData<Name extends EventName = EventName> = z.output<(typeof eventData)[Name]>;

export const eventName = z.enum(Object.keys(eventData) as [EventName, ...EventName[]]);

/** Each event's occasion, in one sentence. */
export const eventSummaries: Readonly<Record<EventName, string>> = {
  'verification.completed': 'A user successfully linked a game-platform account',
  'verification.failed': 'A verification attempt failed; the data includes the reason',
  'member.unlinked': 'A member unlinked, or an admin unlinked the member',
  'role.synced': 'A role-sync job for a member completed; the data includes role adds and removes',
  'role.sync_failed': 'A sync job failed (for example chat-platform rate limit, role hierarchy)',
  'guild.suspended': 'A platform admin suspended a guild',
};

/** An event's body: the common envelope around its data. */
export function eventEnvelope<Name extends EventName>(event: Name) {
  return z
    .strictObject({
      id: z
        .string()
        .regex(/^evt_[0-9a-f]{24}$/)
        .describe('The same on each attempt, to recognize repeated events'),
      event: z.literal(event),
      createdAt: moment.describe('When it happened, which is not when it is delivered'),
      guildId: snowflake,
      data: eventData[event],
    })
    .meta({ id: `${eventTypeName(event)}Event` });
}

/** `role.sync_failed` as a type name: `RoleSyncFailed`. */
export function eventTypeName(event: EventName): string {
  const words = event.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('');
}
