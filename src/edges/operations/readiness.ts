import { databaseReady } from '../../platforms/database/connect.js';
import { gatewayReady } from '../../platforms/discord/gateway-state.js';
import { jobsRunning } from '../../platforms/jobs/agenda.js';

/** Whether each of the things that the service cannot work without is there (SPEC §3, `/readyz`). */
export async function readiness(): Promise<{ database: boolean; gateway: boolean; jobs: boolean }> {
  return { database: await databaseReady(), gateway: gatewayReady(), jobs: jobsRunning() };
}
