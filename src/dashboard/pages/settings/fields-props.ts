import type { Settings } from '../../api/queries.js';

/** Props for each section's fields. */
export interface FieldsProps {
  draft: Settings;
  onChange: (draft: Settings) => void;
  disabled: boolean;
  /** The service's errors for single settings, by path. */
  problems: Readonly<Record<string, string>>;
}

/** A list's problem, or one of its items'. */
export const problemIn = (problems: FieldsProps['problems'], list: string): string | undefined =>
  problems[list] ?? Object.entries(problems).find(([path]) => path.startsWith(`${list}.`))?.[1];
