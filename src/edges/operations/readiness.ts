import { gameAccessIssues } from '../../features/installation/game-key.js';
import { standingStillMs } from '../../features/rank-watch/watch-loops.js';
import { failingServices } from '../../lib/last-calls.js';
import { failingWork } from '../../lib/patient-work.js';
import { databaseReady } from '../../platforms/database/connect.js';
import { tokenIsRefused } from '../../platforms/discord/bot-token.js';
import { gatewayReady } from '../../platforms/discord/gateway-state.js';
import { jobsRunning } from '../../platforms/jobs/runs.js';
import { setupWarnings } from './doctor.js';

/** The codes for this process's current failures: recent calls to services, and stored work (API-47, `/readyz`). */
const failureWarnings = (): string[] => [
  ...failingServices().map((service) => `${service}_not_answering`),
  ...failingWork().map((kind) => `${kind}_failing`),
  ...(standingStillMs() === null ? [] : ['rank_watch_standing_still']),
];

/** The codes for problems outside the essential parts (API-47, `/readyz`). */
export async function currentWarnings(): Promise<string[]> {
  const issues = await gameAccessIssues();
  return [...new Set([...issues.map(({ code }) => code), ...setupWarnings(), ...failureWarnings()])];
}

/**
 * Each essential part's state (API-46, `/readyz`). `warnings` are codes for other problems and don't affect readiness.
 */
export async function readiness() {
  const gateway = gatewayReady() && !tokenIsRefused();
  const parts = { database: await databaseReady(), gateway, jobs: jobsRunning() };
  const warnings = parts.database ? await currentWarnings() : [...setupWarnings(), ...failureWarnings()];
  return { ready: Object.values(parts).every(Boolean), parts, warnings };
}
