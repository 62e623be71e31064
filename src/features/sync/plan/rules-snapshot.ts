import type { PipelineStage } from 'mongoose';
import { type AttachedGroups, aggregateWithGroups, attachedOf } from '../../../core/groups/linked-groups.js';
import { asPresent, type Guild, withGuildRow } from '../../../core/guilds/guild-service.js';
import { type ReadSettings, settingsOf, withSettingsRow } from '../../../core/settings/settings-service.js';
import { SingleFlight } from '../../../lib/single-flight.js';
import { named } from '../../../platforms/database/named-rows.js';
import { type Mapping, Mappings } from '../../mappings/mapping-model.js';
import { byAge } from '../../mappings/mappings-snapshot.js';

/** Everything stored that decides a guild's roles. */
export interface RulesSnapshot {
  /** Null: the bot is not in the guild. */
  guild: Guild | null;
  /** The mappings that are switched on, oldest first. */
  enabled: readonly Mapping[];
  attached: AttachedGroups;
  settings: ReadSettings;
}

interface Row {
  mapping?: Mapping;
  group?: Parameters<typeof attachedOf>[0][number];
  guild?: Guild;
  settings?: NonNullable<Parameters<typeof settingsOf>[0]>;
}

export const readRulesSnapshot = (guildId: string): Promise<RulesSnapshot> => snapshots.get(guildId);

const snapshots = new SingleFlight(async (guildId): Promise<RulesSnapshot> => {
  const rows = await aggregateWithGroups<Row>(guildId, [
    named('mapping', withEnabledMappings(guildId)),
    named('guild', withGuildRow(guildId)),
    // Last, since the settings show whether the rest is being changed.
    named('settings', withSettingsRow(guildId)),
  ]);
  return {
    guild: asPresent(rows.find(({ guild }) => guild !== undefined)?.guild),
    enabled: rows.flatMap(({ mapping }) => mapping ?? []).sort(byAge),
    attached: attachedOf(rows.flatMap(({ group }) => group ?? [])),
    settings: settingsOf(rows.find(({ settings }) => settings !== undefined)?.settings ?? null),
  };
});

const withEnabledMappings = (guildId: string): PipelineStage.UnionWith => ({
  $unionWith: { coll: Mappings.acrossGuilds.collection.name, pipeline: [{ $match: { guildId, enabled: true } }] },
});
