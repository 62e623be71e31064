import { systemActor } from '../../../core/actors/actor.js';
import { listEntries } from '../../../core/audit/audit-list.js';
import { enterLog, newEntry } from '../../../core/audit/audit-service.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { hourMs } from '../../../lib/time.js';
import { countDifferences } from '../plan/difference-list.js';

/** A day, less the time that a resync takes. */
const quietMs = 23 * hourMs;

/** Logs once a day, in a guild in observe mode, how many members match, would gain and would lose. */
export async function logDay(guild: Guild): Promise<void> {
  if ((await readSettings(guild._id)).mode !== 'observe') return;
  const from = new Date(clock.epochMs() - quietMs);
  const { data } = await listEntries(guild, { action: 'guild.observed', from }, { limit: 1 });
  if (data.length > 0) return;
  const { matching, gaining, losing } = await countDifferences(guild._id);
  const facts = Object.entries({ matching, gaining, losing });
  const changes = Object.fromEntries(facts.map(([name, to]) => [name, { from: null, to }]));
  const target = { kind: 'guild', id: guild._id, name: guild.name };
  const actor = systemActor('observe');
  await enterLog(newEntry({ guildId: guild._id, actor, action: 'guild.observed', target, changes }));
}
