import { type QueryFilter, trusted } from 'mongoose';
import { z } from 'zod';
import { snowflake } from '../../lib/ids.js';
import type { Hint } from '../../platforms/database/guild-model.js';
import { leftOutItself } from './left-out.js';
import { type Member, memberIndexes } from './member-model.js';
import { type MemberSyncState, memberSyncState } from './member-view.js';

/** Filters for GET …/members: by text, and by the last sync's findings. */
export const memberFilters = {
  q: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('A text anywhere in a Discord or Roblox name, in any case, or a whole Discord or Roblox id.'),
  roleId: snowflake.optional().describe('Those who held this mapped role after their last sync.'),
  rank: z
    .string()
    .regex(/^\d{1,19}:\d{1,19}$/, 'must be groupId:gameRoleId')
    .optional()
    .describe('Those who had this Roblox rank at their last sync: `groupId:gameRoleId`.'),
  state: memberSyncState.optional(),
};

/** The values of these filters. */
export interface MemberNarrowing {
  roleId?: string | undefined;
  rank?: string | undefined;
  state?: MemberSyncState | undefined;
}

/** The filter for members, and the index for it; null: no index fits. */
export interface Narrowed {
  filter: QueryFilter<Member>;
  hint: Hint | null;
}

/** Both values are named, so that the index continues with the sort order after it. */
export const eitherWay = trusted({ $in: [true, false] });

const there = trusted({ $exists: true });
const absent = trusted({ $exists: false });

const byState: Readonly<Record<MemberSyncState, Narrowed>> = {
  pending: { filter: { 'owedSync.dueAt': there }, hint: memberIndexes.dueAt },
  left_out: { filter: { blockedBy: leftOutItself, leftOut: there, owedSync: absent }, hint: memberIndexes.blockedBy },
  differs: { filter: { differs: true, leftOut: absent, owedSync: absent }, hint: memberIndexes.differs },
  blocked: {
    filter: { blockedBy: there, leftOut: absent, owedSync: absent, differs: absent },
    hint: memberIndexes.blockedBy,
  },
  in_step: { filter: { left: there, owedSync: absent, differs: absent, blockedBy: absent }, hint: null },
  unsynced: { filter: { left: absent, owedSync: absent, differs: absent, blockedBy: absent }, hint: null },
};

/** Each filter that is asked for. Pure. */
export function narrowingsOf({ roleId, rank, state }: MemberNarrowing): Narrowed[] {
  const found: Narrowed[] = [];
  if (roleId !== undefined) found.push({ filter: { 'left.roleIds': roleId }, hint: null });
  if (rank !== undefined) found.push({ filter: { 'wentBy.held': rank }, hint: memberIndexes.wentByHeld });
  if (state !== undefined) found.push(byState[state]);
  return found;
}
