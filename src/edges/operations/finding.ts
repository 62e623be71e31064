/**
 * What a check of the set-up has found. `fault`: something does not work; `warning`: it works, but not well or not for long;
 * `off`: not set up, which is a choice; `unknown`: it could not be checked now.
 */
export interface Finding {
  state: 'ok' | 'off' | 'warning' | 'fault' | 'unknown';
  /** Stable, for `/readyz` and alerts, and by which the dashboard has words in its languages. */
  code: string;
  /** What goes into those words. */
  params: FindingParams;
  /** One sentence. */
  says: string;
  /** What to click or type, for a warning and a fault. */
  todo?: string;
}

type FindingParams = Readonly<Record<string, string | number>>;

/** One thing that is looked at. What it throws counts as unknown. */
export interface Check {
  name: string;
  run(): Promise<Finding[]>;
}

type Said = (says: string, code?: string, params?: FindingParams) => Finding;
type Trouble = (code: string, says: string, todo: string, params?: FindingParams) => Finding;

export const ok: Said = (says, code = 'ok', params = {}) => ({ state: 'ok', code, params, says });
export const off: Said = (says, code = 'off', params = {}) => ({ state: 'off', code, params, says });
export const unknown: Said = (says, code = 'unknown', params = {}) => ({ state: 'unknown', code, params, says });
export const warning: Trouble = (code, says, todo, params = {}) => ({ state: 'warning', code, params, says, todo });
export const fault: Trouble = (code, says, todo, params = {}) => ({ state: 'fault', code, params, says, todo });
