import type { MembersSearch } from './members-search.js';

/** The filters as the API has them. */
export const filtersOf = ({ q, status, role, rank, state }: MembersSearch) => ({
  ...(q && { q }),
  ...(status && { status }),
  ...(role && { roleId: role }),
  ...(rank && { rank }),
  ...(state && { state }),
});
