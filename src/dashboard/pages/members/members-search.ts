import type { Schemas } from '../../../client/api-types.js';

export const statuses = ['linked', 'account_gone', 'left', 'unlinked', 'joined'] as const;
export const syncStates = ['in_step', 'pending', 'blocked', 'differs', 'left_out', 'unsynced'] as const;
const sorts = ['-linkedAt', 'linkedAt', 'gameUsername', '-gameUsername'] as const;
export type MemberSort = (typeof sorts)[number];

/** The list's search, from the address: words, filters, an order, and the open panel's member. */
export interface MembersSearch {
  q?: string;
  status?: Schemas['Member']['status'];
  /** A mapped role that they held after their last sync. */
  role?: string;
  /** The rank that they had then: `groupId:gameRoleId`. */
  rank?: string;
  state?: Schemas['Member']['state'];
  sort?: MemberSort;
  member?: string;
}

/** People edit addresses by hand: invalid values are left out. */
export function membersSearch(search: Record<string, unknown>): MembersSearch {
  const { q, status, role, rank, state, sort, member } = search;
  const knownStatus = statuses.find((each) => each === status);
  const knownState = syncStates.find((each) => each === state);
  const knownSort = sorts.find((each) => each === sort);
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(knownStatus !== undefined && { status: knownStatus }),
    ...(isId(role) && { role: String(role) }),
    ...(typeof rank === 'string' && /^\d{1,19}:\d{1,19}$/.test(rank) && { rank }),
    ...(knownState !== undefined && { state: knownState }),
    ...(knownSort !== undefined && { sort: knownSort }),
    ...(isId(member) && { member: String(member) }),
  };
}

/** An id with digits alone may be one that fits a number. */
const isId = (value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && /^\d{1,20}$/.test(String(value));

export type ChangeSearch = (changed: { [Key in keyof MembersSearch]: MembersSearch[Key] | undefined }) => unknown;
