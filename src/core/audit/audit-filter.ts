import { trusted } from 'mongoose';
import { z } from 'zod';
import { dayMs } from '../../lib/time.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { type PlanName, plans } from '../plans/plans.js';
import { actionFilter, actionsOf } from './audit-actions.js';
import { type AuditEntry, auditIndexes } from './audit-model.js';

const moment = z.iso
  .datetime({ offset: true, error: 'must be a moment in ISO 8601 with its offset, as 2026-07-01T12:00:00Z' })
  .transform((text) => new Date(text));
const someId = z.string().min(1).max(100);

/** Filters for GET …/logs and its export; `from` is inclusive, `to` exclusive. */
export const logFilters = {
  action: actionFilter.optional().describe('One action, or all of a kind.'),
  actorId: someId.optional().describe('The actor: a chatUserId, a tokenId, or the name of an automatic actor.'),
  targetId: someId.optional().describe("The target's id."),
  involves: someId.optional().describe("The actor's or the target's id: everything by and about one person or thing."),
  from: moment.optional().describe('Entries since this moment.'),
  to: moment.optional().describe('Entries before this moment.'),
};

/** For a query with `logFilters`: rejects a range that ends before it begins. */
export const inOrder = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  from === undefined || to === undefined || from < to;
export const notInOrder = { path: ['to'], error: 'must be after from' };

export type LogFilter = Partial<z.output<z.ZodObject<typeof logFilters>>> & {
  /** Other names for `actorId` or `involves` as an actor: pseudonyms, for readers allowed to know them. */
  alsoActedAs?: readonly string[] | undefined;
};

/** The guild that owns the log, with the plan that limits its age (PLAN-8). */
export interface LogOwner {
  _id: string;
  plan: PlanName;
}

/**
 * A guild's entries that match a filter. Entries older than the plan allows are hidden before they are purged. After an
 * upgrade, the remaining ones appear again.
 */
export function entriesWhere({ _id: guildId, plan }: LogOwner, filter: LogFilter, now: Date): InGuild<AuditEntry> {
  const { action, actorId, targetId, alsoActedAs = [], from, to } = filter;
  const oldest = new Date(now.getTime() - plans[plan].logDays * dayMs);
  const since = from !== undefined && from > oldest ? from : oldest;
  const actedAs = (id: string) => (alsoActedAs.length === 0 ? id : trusted({ $in: [id, ...alsoActedAs] }));
  return {
    guildId,
    ...(action !== undefined && { action: trusted({ $in: actionsOf(action) }) }),
    ...(actorId !== undefined && { 'actor.id': actedAs(actorId) }),
    ...(targetId !== undefined && { 'target.id': targetId }),
    at: trusted({ $gte: since, ...(to !== undefined && { $lt: to }) }),
  };
}

/**
 * A filter in parts, each answered by one index. `involves` takes two, since an entry's actor
 * and its target have an index each; an entry by a person about themselves is found by both.
 */
export function partsOf({ involves, ...filter }: LogFilter): LogFilter[] {
  if (involves === undefined) return [filter];
  const mayBe = (id: string | undefined): boolean => id === undefined || id === involves;
  return [
    ...(mayBe(filter.actorId) ? [{ ...filter, actorId: involves }] : []),
    ...(mayBe(filter.targetId) ? [{ ...filter, targetId: involves }] : []),
  ];
}

/** Sorts as every log is listed. */
export const newerFirst = (a: AuditEntry, b: AuditEntry): number =>
  b.at.getTime() - a.at.getTime() || (a._id < b._id ? 1 : -1);

export function indexFor({ action, actorId, targetId }: LogFilter) {
  if (targetId !== undefined) return auditIndexes.target;
  if (actorId !== undefined) return auditIndexes.actor;
  return action === undefined ? auditIndexes.all : auditIndexes.action;
}
