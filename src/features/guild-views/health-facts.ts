import { type LinkedGroup, LinkedGroups } from '../../core/groups/group-model.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { type ReadSettings, settingsOf, withSettingsRow } from '../../core/settings/settings-service.js';
import { aggregateDirectly } from '../../platforms/database/direct-reads.js';
import { named } from '../../platforms/database/named-rows.js';
import { type KeyCheck, withKeyCheck } from '../installation/game-key.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { type MappingsSnapshot, withMappingRows } from '../mappings/mappings-snapshot.js';
import { withWatchedCount } from '../rank-watch/rank-age.js';
import type { WebhookEndpoint } from '../webhooks/endpoint-model.js';
import { withEndpointRows } from '../webhooks/endpoint-service.js';

/** Everything stored that decides a guild's health, except its members. */
export interface HealthFacts {
  settings: ReadSettings;
  snapshot: Omit<MappingsSnapshot, 'facts'>;
  /** Oldest first. */
  endpoints: readonly WebhookEndpoint[];
  /** The last check of the host's key; null: none was made. */
  keyCheck: KeyCheck | null;
  /** How many linked members have watched ranks. */
  watched: number;
}

/** A row from a united collection. */
interface Row {
  group?: LinkedGroup;
  mapping?: Mapping;
  settings?: NonNullable<Parameters<typeof settingsOf>[0]>;
  endpoint?: WebhookEndpoint;
  keyCheck?: KeyCheck;
  watched?: { count: number };
}

/** Reads the facts in one command. */
export async function readHealthFacts({ _id: guildId, plan }: Pick<Guild, '_id' | 'plan'>): Promise<HealthFacts> {
  const rows = await aggregateDirectly<Row>(
    LinkedGroups.acrossGuilds,
    [
      { $match: { guildId } },
      { $sort: { groupId: 1 } },
      { $replaceWith: { group: '$$ROOT' } },
      named('mapping', withMappingRows(guildId)),
      named('settings', withSettingsRow(guildId)),
      named('endpoint', withEndpointRows(guildId)),
      named('watched', withWatchedCount(guildId)),
      ...withKeyCheck().map((stage) => named('keyCheck', stage)),
    ],
    { hint: { guildId: 1, groupId: 1 } },
  );
  const groups = rows.flatMap(({ group }) => group ?? []);
  const mappings = rows.flatMap(({ mapping }) => mapping ?? []);
  return {
    settings: settingsOf(rows.find(({ settings }) => settings !== undefined)?.settings ?? null),
    snapshot: { plan, groups, mappings },
    endpoints: rows.flatMap(({ endpoint }) => endpoint ?? []),
    keyCheck: rows.find(({ keyCheck }) => keyCheck !== undefined)?.keyCheck ?? null,
    watched: rows.find(({ watched }) => watched !== undefined)?.watched?.count ?? 0,
  };
}
