import type { Schemas } from '../../api/api-types.js';

export const statuses = ['linked', 'account_gone', 'left', 'unlinked', 'joined'] as const;
const sorts = ['-linkedAt', 'linkedAt', 'gameUsername', '-gameUsername'] as const;
export type MemberSort = (typeof sorts)[number];

/** The search of the list, from the address: words, a status, an order, and the member of the open panel. */
export interface MembersSearch {
  q?: string;
  status?: Schemas['Member']['status'];
  sort?: MemberSort;
  member?: string;
}

/** People edit addresses by hand: invalid values are left out. */
export function membersSearch({ q, status, sort, member }: Record<string, unknown>): MembersSearch {
  const knownStatus = statuses.find((each) => each === status);
  const knownSort = sorts.find((each) => each === sort);
  return {
    ...(q !== undefined && q !== '' && { q: String(q) }),
    ...(knownStatus !== undefined && { status: knownStatus }),
    ...(knownSort !== undefined && { sort: knownSort }),
    // An id of digits alone may be one that fits a number.
    ...((typeof member === 'string' || typeof member === 'number') && { member: String(member) }),
  };
}
