import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { SetupReport } from './doctor.js';
import { findingCodes } from './finding.js';

/** GET /api/admin/doctor: the checks of `rolelink doctor`, as found by the answering process. */
export const setupView = z
  .strictObject({
    lookedAt: timestamp,
    checks: z.array(
      z.strictObject({
        name: z.string().describe('The subject of the check, in English.'),
        findings: z.array(
          z.strictObject({
            state: z
              .enum(['ok', 'off', 'warning', 'fault', 'unknown'])
              .describe(
                'fault: it does not work; warning: not well, or not for long; off: not set up, which is a choice; unknown: it could not be asked.',
              ),
            code: findingCodes.describe('Of a warning or fault: the same as in `warnings` of /readyz.'),
            params: z
              .record(z.string(), z.union([z.string(), z.number()]))
              .describe('The values in says and todo, to build the text in another language by the code.'),
            says: z.string().describe('English.'),
            todo: z.string().nullable().describe('The steps to fix a warning or fault, in English.'),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'SetupReport' });

export function viewSetup({ lookedAt, checks }: SetupReport): z.input<typeof setupView> {
  return {
    lookedAt: lookedAt.toISOString(),
    checks: checks.map(({ name, findings }) => ({
      name,
      findings: findings.map(({ state, code, params, says, todo = null }) => ({ state, code, params, says, todo })),
    })),
  };
}
