import { gameAccessIssues } from '../../features/overview/game-key.js';
import { failingServices } from '../../lib/last-calls.js';
import { databaseReady } from '../../platforms/database/connect.js';
import { tokenIsRefused } from '../../platforms/discord/bot-token.js';
import { gatewayReady } from '../../platforms/discord/gateway-state.js';
import { jobsRunning } from '../../platforms/jobs/agenda.js';
import { setupWarnings } from './doctor.js';

/** The codes of the services that did not answer this process's last call as they should (SPEC §3, `/readyz`). */
const callWarnings = (): string[] => failingServices().map((service) => `${service}_not_answering`);

/** Codes of what is wrong beside what the service cannot work without (SPEC §3, `/readyz`). */
export async function currentWarnings(): Promise<string[]> {
  const issues = await gameAccessIssues();
  return [...new Set([...issues.map(({ code }) => code), ...setupWarnings(), ...callWarnings()])];
}

/**
 * Whether each of the things that the service cannot work without is there (SPEC §3, `/readyz`). `warnings` are codes of
 * what is wrong beside them, and takes nothing from being ready.
 */
export async function readiness() {
  const gateway = gatewayReady() && !tokenIsRefused();
  const parts = { database: await databaseReady(), gateway, jobs: jobsRunning() };
  const warnings = parts.database ? await currentWarnings() : [...setupWarnings(), ...callWarnings()];
  return { ready: Object.values(parts).every(Boolean), parts, warnings };
}
