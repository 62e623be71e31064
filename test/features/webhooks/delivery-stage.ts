import { loadConfig, useConfig } from '../../../src/config/config.js';
import { loadSecretKeys } from '../../../src/config/secret-keys.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { type WebhookEndpoint, WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { createEndpoint } from '../../../src/features/webhooks/endpoint-service.js';

// The service parts that deliveries need, in a separate process.

/** The guild that everything happens in. */
export const stageGuildId = '100000000000000777';

/** Configures a service that delivers to this machine. */
export function configureDelivery(dataDir: string): void {
  const config = loadConfig({
    DATA_DIR: dataDir,
    DISCORD_TOKEN: 'none',
    DISCORD_CLIENT_ID: '100000000000000001',
    DISCORD_CLIENT_SECRET: 'none',
    WEBHOOK_DELIVERY: 'live',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  });
  useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
}

/** An endpoint for each URL, those that are there already included, in a guild on the enterprise plan. */
export async function buildStage(urls: readonly string[]): Promise<WebhookEndpoint[]> {
  const guild = {
    _id: stageGuildId,
    name: 'Stage',
    iconUrl: null,
    ownerId: stageGuildId,
    memberCount: 1,
    plan: 'enterprise',
    state: 'active',
    present: true,
    joinedAt: new Date(),
  } as const;
  await GuildRecord.updateOne({ _id: stageGuildId }, { $setOnInsert: guild }, { upsert: true });
  for (const url of urls) {
    const draft = { url, events: ['guild.suspended' as const], description: null, enabled: true };
    const isThere = (await WebhookEndpoints.count({ guildId: stageGuildId, url })) > 0;
    if (!isThere) await createEndpoint(guild, systemActor('test'), draft);
  }
  return WebhookEndpoints.find({ guildId: stageGuildId }, { sort: { _id: 1 } });
}
