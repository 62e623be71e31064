import { gameAccessIssues } from '../../features/overview/game-key.js';
import { databaseReady } from '../../platforms/database/connect.js';
import { gatewayReady } from '../../platforms/discord/gateway-state.js';
import { jobsRunning } from '../../platforms/jobs/agenda.js';
import { setupWarnings } from './doctor.js';

/**
 * Whether each of the things that the service cannot work without is there (SPEC §3, `/readyz`). `warnings` are codes of
 * what is wrong beside them, and takes nothing from being ready.
 */
export async function readiness() {
  const parts = { database: await databaseReady(), gateway: gatewayReady(), jobs: jobsRunning() };
  const issues = parts.database ? await gameAccessIssues() : [];
  const warnings = new Set([...issues.map(({ code }) => code), ...setupWarnings()]);
  return { ready: Object.values(parts).every(Boolean), parts, warnings: [...warnings] };
}
