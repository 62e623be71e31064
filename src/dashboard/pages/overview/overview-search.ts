export const periods = ['7', '30', '90'] as const;
export type Period = (typeof periods)[number];

/** The figures' period and the last chart's mapping, from the address. */
export interface OverviewSearch {
  days?: 7 | 90;
  mapping?: string;
}

/** Invalid values are left out, and so are 30 days, the usual period. */
export function overviewSearch({ days, mapping }: Record<string, unknown>): OverviewSearch {
  return {
    ...((days === 7 || days === 90) && { days }),
    ...(typeof mapping === 'string' && { mapping }),
  };
}

export const periodOf = ({ days }: OverviewSearch): Period => `${days ?? 30}`;
