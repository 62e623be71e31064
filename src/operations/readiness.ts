import { container } from '@sapphire/framework';
import { Status } from 'discord.js';
import { databaseReady } from '../database/connect.js';
import { jobsRunning } from '../jobs/agenda.js';

/** Whether each of the things that the service cannot work without is there (SPEC §3, `/readyz`). */
export async function readiness(): Promise<{ database: boolean; gateway: boolean; jobs: boolean }> {
  return { database: await databaseReady(), gateway: gatewayReady(), jobs: jobsRunning() };
}

/** Connected on every shard now, not just once at boot. */
function gatewayReady(): boolean {
  const { client } = container;
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}
