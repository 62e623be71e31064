import { isDeepStrictEqual } from 'node:util';
import { Counter } from 'prom-client';
import { enterLog, type NewEntry, newEntry } from '../../../core/audit/audit-service.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import { noteRoleChange } from '../../../core/guilds/promptness.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { internalErrors, metrics } from '../../../lib/metrics.js';
import { DiscordForbids } from '../../../platforms/discord/rest/discord-call.js';
import { HeldBack } from '../../../platforms/discord/rest/invalid-request-guard.js';
import type { BlockReason } from '../../../platforms/discord/role-hierarchy.js';
import { type EventData, eventData } from '../../../platforms/events/event-types.js';
import { newEvent, type OutboxEvent, push } from '../../../platforms/events/outbox.js';
import { announceLookUp, showsOtherRoles } from '../../members/look-up-changes.js';
import { type Member, pushSync } from '../../members/member-model.js';
import {
  type Left,
  nicknameItself,
  type RefusedPart,
  type SyncRecord,
  type SyncTrigger,
} from '../../members/member-sync-fields.js';
import { noteSync } from '../../members/sync-notes.js';

import { hasWork, obstaclesOf, refusedNicknameOf, type SyncPlan } from '../plan/plan.js';

import { leftOf } from '../plan/went-by.js';

import type { MadeChange, MemberChange } from './member-change.js';
import { entryOfSync, syncedEvent } from './sync-telling.js';

/** Stores a sync's result with the member, in the guild's log, and in its counters. */
export async function recordSync(change: MemberChange, made: MadeChange): Promise<void> {
  const { guildId, pending, isPending = false, isPutOff = false, lease, wentBy } = change;
  const { trigger, jobId } = change.cause;
  const { member, plan, askedNickname } = made;
  const { add, remove, nickname, blocked, refused } = plan;
  const nicknameRefused = refusedNicknameOf(plan);
  const record = {
    at: clock.now(),
    trigger,
    added: add,
    removed: remove,
    blocked,
    ...(nicknameRefused !== undefined && { nicknameRefused }),
    ...(nickname !== undefined && { nickname }),
    ...(jobId !== undefined && { jobId }),
  };
  const completes = !isPutOff && (isPending || hasWork(plan)) ? pending : undefined;
  const basis = { wentBy, left: leftBy(change, made), restored: restoredBy(change, made) };
  const entries = [
    ...(hasWork(plan) ? [entryOfSync(change, made)] : []),
    ...(hasNewRefusals(change, plan) ? [entryOfRefusals(change, made)] : []),
  ];
  const outbox = [...syncEvents(change, made), ...entries];
  const noted = { record, basis, blockedBy: obstaclesOf(plan), refused: refused ?? [] };
  const isReversed = change.due.by === 'reversal' && change.due.reverses.formerIsOurs !== true;
  const isTakenBack = isReversed || isFormer(change.stored, nickname);
  await noteSync(guildId, member, { ...noted, askedNickname, isTakenBack, outbox, completes, lease });
  if (showsOtherRoles(change.stored, basis.left)) announceLookUp(guildId, change.gameUserId);
  if (hasWork(plan) && pending?.since !== undefined) noteRoleChange(guildId, pending.since);
  await enterLog(...entries);
  if (hasWork(plan)) await countFact(guildId, 'synced');
}

/** Whether a nickname is the one from before an import that was undone. */
const isFormer = (stored: Member | null, nickname: string | null | undefined): boolean =>
  nickname !== undefined && stored?.state === 'unlinked' && stored.formerNickname === nickname;

/** Whether Discord refuses more or other parts than in the previous sync. A refusal stays until something changes. */
function hasNewRefusals({ stored }: Pick<MemberChange, 'stored'>, plan: SyncPlan): boolean {
  if (plan.refused === undefined) return false;
  const former = formerly(stored);
  const isRefused = ({ reason }: SyncRecord['blocked'][number]) => reason === 'refused_by_discord';
  return (
    !isDeepStrictEqual(plan.blocked.filter(isRefused), former?.blocked.filter(isRefused) ?? []) ||
    !isDeepStrictEqual(refusedNicknameOf(plan), former?.nicknameRefused)
  );
}

const formerly = (stored: Member | null): SyncRecord | undefined =>
  stored?.syncs.findLast(({ error }) => error === undefined);

function entryOfRefusals(
  { guildId, chatUserId, cause: { actor } }: MemberChange,
  { member, plan }: MadeChange,
): NewEntry {
  const { refused = [] } = plan;
  const names = refused.map(({ part, name }) => (part === 'nickname' ? (name ?? '–') : `@${name}`));
  return newEntry({
    guildId,
    actor,
    action: 'member.refused',
    target: { kind: 'member', id: chatUserId, name: member.username },
    changes: {
      refused: { from: null, to: names.join(', ') },
      detail: { from: null, to: wordsOf(refused) },
    },
  });
}

/** Discord's reasons, each sentence once. */
const wordsOf = (refused: readonly RefusedPart[]): string => [...new Set(refused.map(({ words }) => words))].join(' ');

/** The member's state on Discord after a change. */
function leftBy({ roles }: MemberChange, { member, plan: { add, remove, nickname } }: MadeChange): Left | undefined {
  if (roles === undefined) return undefined;
  const kept = member.roleIds.filter((roleId) => !remove.includes(roleId));
  const roleIds = [...new Set([...kept, ...add])];
  return leftOf({ roleIds, nickname: nickname === undefined ? member.nickname : nickname }, roles);
}

/** The parts in a change that restore the previous sync's result. A member that left has changed nothing back. */
function restoredBy(
  { stored, wentBy, cause }: MemberChange,
  { plan: { add, remove, nickname } }: MadeChange,
): string[] {
  const { left } = stored ?? {};
  if (left === undefined || cause.trigger === 'join' || stored?.wentBy?.rulesKey !== wentBy?.rulesKey) return [];
  const roleIds = [
    ...add.filter((roleId) => left.roleIds.includes(roleId)),
    ...remove.filter((roleId) => !left.roleIds.includes(roleId)),
  ];
  return nickname !== undefined && nickname === left.nickname ? [...roleIds, nicknameItself] : roleIds;
}

type FailureReason = EventData<'role.sync_failed'>['reason'];

const reasonOfObstacle: Readonly<Record<BlockReason, FailureReason>> = {
  became_dangerous: 'became_dangerous',
  removal_limit: 'removal_limit',
  beyond_word: 'role_hierarchy',
  missing_permission: 'missing_permission',
  role_above_bot: 'role_hierarchy',
  role_managed: 'role_hierarchy',
  everyone_role: 'role_hierarchy',
  role_deleted: 'role_hierarchy',
  refused_by_discord: 'refused_by_discord',
};

/** Reasons by the error's code; any other code is our own fault. */
const reasonOfCode: Readonly<Record<string, FailureReason>> = {
  member_not_found: 'member_gone',
  missing_permission: 'missing_permission',
  game_platform_unavailable: 'game_platform_unavailable',
  game_platform_closed: 'game_platform_unavailable',
  chat_platform_unavailable: 'chat_platform_unavailable',
  gone_from_discord: 'chat_platform_unavailable',
};

function reasonOfError(error: unknown): FailureReason {
  if (error instanceof HeldBack) return error.reason === 'guild_forbids' ? 'missing_permission' : 'rate_limited';
  if (!(error instanceof AppError)) return 'internal_error';
  // Discord has refused twice, although the change was possible by its own facts the second time.
  const code = error.cause instanceof DiscordForbids ? error.cause.code : error.code;
  return reasonOfCode[code] ?? 'internal_error';
}

export interface SyncFailure {
  error: unknown;
  /** The roles concerned, and the ones that were blocked anyway, if that was known. */
  roleIds?: readonly string[];
  blocked?: SyncRecord['blocked'];
}

/** A sync's consecutive failures, counted, and whether it is retried automatically. */
export interface Tries {
  attempt: number;
  willRetry: boolean;
}

type Subject = Pick<Member, 'guildId' | 'chatUserId'>;

const failures = new Counter({
  name: 'rolelink_sync_failures_total',
  help: 'Syncs that failed, and roles that came to be blocked, by the reason that role.sync_failed gives.',
  labelNames: ['reason'],
  registers: [metrics],
});

for (const reason of eventData['role.sync_failed'].shape.reason.options) failures.inc({ reason }, 0);

/** A failure's event, which is also counted. */
function failed(guildId: string, data: EventData<'role.sync_failed'>): OutboxEvent {
  failures.inc({ reason: data.reason });
  if (data.reason === 'internal_error') internalErrors.inc({ place: 'sync' });
  return newEvent('role.sync_failed', guildId, data);
}

export function failureEvent({ guildId, chatUserId }: Subject, failure: SyncFailure, tries: Tries): OutboxEvent {
  const { error, roleIds = [] } = failure;
  const reason = reasonOfError(error);
  return failed(guildId, { chatUserId, reason, roleIds: [...roleIds], ...tries });
}

/** The write part that stores a sync's failure with the member, and its event. */
export function noteFailure(member: Subject, trigger: SyncTrigger, failure: SyncFailure, tries: Tries) {
  const { error, blocked = [] } = failure;
  const code = error instanceof AppError ? error.code : ('internal_error' as const);
  const record = { at: clock.now(), trigger, added: [], removed: [], blocked, error: code };
  return { $push: { ...pushSync(record), ...push(failureEvent(member, failure, tries)).$push } };
}

/**
 * A sync's events: its changes, unless it is a resync without changes (HOOK-10), and the blocked roles if they differ
 * from the member's last sync, since they stay blocked until someone acts.
 */
function syncEvents(change: MemberChange, { plan }: MadeChange) {
  const { guildId, chatUserId, stored, cause } = change;
  const { blocked } = plan;
  const isTold = cause.trigger !== 'resync' || hasWork(plan);
  const former = formerly(stored)?.blocked ?? [];
  const isNews = !sameBlocked(blocked, former) || hasNewRefusals({ stored }, plan);
  return [
    ...(isTold ? [syncedEvent(change, plan)] : []),
    ...(isNews ? blockedEvents({ guildId, chatUserId }, plan) : []),
  ];
}

function blockedEvents({ guildId, chatUserId }: Subject, { blocked, refused = [] }: SyncPlan): OutboxEvent[] {
  const reasons = new Set(blocked.map(({ reason }) => reasonOfObstacle[reason]));
  if (refused.length > 0) reasons.add('refused_by_discord');
  const nickname = refused.find(({ part }) => part === 'nickname')?.name;
  const outbox = { ...(nickname !== undefined && { nickname }), detail: wordsOf(refused) };
  return [...reasons].map((reason) => {
    const roleIds = blocked.flatMap((role) => (reasonOfObstacle[role.reason] === reason ? role.roleId : []));
    const isRefused = reason === 'refused_by_discord';
    const tries = { attempt: 1, willRetry: isRefused };
    return failed(guildId, { chatUserId, reason, roleIds, ...tries, ...(isRefused && outbox) });
  });
}

function sameBlocked(now: SyncRecord['blocked'], before: SyncRecord['blocked']): boolean {
  const known = new Set(before.map(({ roleId, reason }) => `${roleId} ${reason}`));
  return now.length === known.size && now.every(({ roleId, reason }) => known.has(`${roleId} ${reason}`));
}
