import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * The environment variable with the path to a file that gets a line for each failed test: the path to its test file.
 */
const variable = 'TEST_FAILURES';

/** Notes a failed test for `.ci/run`, which runs its file once more, alone. */
export function noteFailure({ state, file = '' }: Pick<Mocha.Test, 'state' | 'file'>): void {
  const failures = process.env[variable];
  if (failures === undefined || state !== 'failed') return;
  appendFileSync(failures, `${relative(process.cwd(), file)}\n`);
}
