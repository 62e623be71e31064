import { latestEntries } from '../../../src/core/audit/audit-service.js';

/** A guild's log entries about webhooks, newest first. */
export async function webhookEntries(guildId: string) {
  const entries = await latestEntries(guildId, 100);
  return entries.filter(({ action }) => action.startsWith('webhook.'));
}
