import type { Mapping } from '../../api/queries.js';

/** The roles that a mapping gives: its own, or those for a whole group's ranks. */
export const givenBy = ({ roleIds, ranks = [] }: Mapping): string[] =>
  roleIds.length > 0 ? [...roleIds] : [...new Set(ranks.flatMap((rank) => rank.roleIds))];
