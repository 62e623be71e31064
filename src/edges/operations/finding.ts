/**
 * What a check of the set-up has found. `fault`: something does not work; `warning`: it works, but not well or not for long;
 * `off`: not set up, which is a choice; `unknown`: it could not be checked now.
 */
export interface Finding {
  state: 'ok' | 'off' | 'warning' | 'fault' | 'unknown';
  /** Stable, for `/readyz` and alerts. */
  code: string;
  /** One sentence. */
  says: string;
  /** What to click or type, for a warning and a fault. */
  todo?: string;
}

/** One thing that is looked at. What it throws counts as unknown. */
export interface Check {
  name: string;
  run(): Promise<Finding[]>;
}

export const ok = (says: string): Finding => ({ state: 'ok', code: 'ok', says });
export const off = (says: string): Finding => ({ state: 'off', code: 'off', says });
export const unknown = (says: string): Finding => ({ state: 'unknown', code: 'unknown', says });
export const warning = (code: string, says: string, todo: string): Finding => ({ state: 'warning', code, says, todo });
export const fault = (code: string, says: string, todo: string): Finding => ({ state: 'fault', code, says, todo });
