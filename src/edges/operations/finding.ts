/**
 * The result of a check. `fault`: something does not work. `warning`: it works, but not well or not for long. `off`:
 * not configured, by choice. `unknown`: could not be checked now.
 */
export interface Finding {
  state: 'ok' | 'off' | 'warning' | 'fault' | 'unknown';
  /** Stable, for `/readyz` and alerts; also the key of the dashboard's translations. */
  code: string;
  /** The parameters of those translations. */
  params: FindingParams;
  /** One sentence. */
  says: string;
  /** The remedy to click or type, for a warning or fault. */
  todo?: string;
}

type FindingParams = Readonly<Record<string, string | number>>;

/** One check. An exception counts as unknown. */
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
