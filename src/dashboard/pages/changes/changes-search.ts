import type { Schemas } from '../../../client/api-types.js';

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

/** The place's parts: an observing server's comparison, the preview, and the resyncs. */
export const changesTabs = ['compare', 'preview', 'made'] as const;
export type ChangesTab = (typeof changesTabs)[number];

/** The difference kinds, the worst first. */
export const effects = ['kicked', 'losing', 'gaining', 'renamed'] as const;
export type Effect = (typeof effects)[number];

/** The place's part and the differences' filters, as in the address. */
export interface ChangesSearch {
  tab?: ChangesTab;
  effect?: Effect | 'all';
  role?: string;
  reason?: Reason;
}

/** Reads the part and the filters from an address; invalid ones are left out. */
export function changesSearch({ tab, effect, role, reason }: Record<string, unknown>): ChangesSearch {
  const known = reasons.find((each) => each === reason);
  const part = changesTabs.find((each) => each === tab);
  const kind = [...effects, 'all' as const].find((each) => each === effect);
  return {
    ...(part !== undefined && { tab: part }),
    ...(kind !== undefined && { effect: kind }),
    ...(/^[1-9]\d{16,18}$/.test(String(role)) && { role: String(role) }),
    ...(known !== undefined && { reason: known }),
  };
}

/** The filters as the API has them. */
export const filterOf = ({ role, reason, effect = 'all' }: ChangesSearch) => ({
  ...(effect !== 'all' && { effect }),
  ...(role !== undefined && { roleId: role }),
  ...(reason !== undefined && { reason }),
});
