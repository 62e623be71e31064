import type { Schemas } from '../../api/api-types.js';

export type Counts = Schemas['DifferenceCounts'];
type Reason = Counts['byReason'][number]['reason'];

const reasons: readonly Reason[] = [
  'meets_rule',
  'misses_rule',
  'not_verified',
  'account_gone',
  'restricted',
  'nickname',
];

/** The filters of the differences, as in the address. */
export interface DifferencesSearch {
  role?: string;
  reason?: Reason;
}

/** Reads the filters from an address; invalid ones are left out. */
export function differencesSearch({ role, reason }: Record<string, unknown>): DifferencesSearch {
  const known = reasons.find((each) => each === reason);
  return {
    ...(/^[1-9]\d{16,18}$/.test(String(role)) && { role: String(role) }),
    ...(known !== undefined && { reason: known }),
  };
}

/** The filters as those of the API. */
export const filterOf = ({ role, reason }: DifferencesSearch) => ({
  ...(role !== undefined && { roleId: role }),
  ...(reason !== undefined && { reason }),
});
