import { LRUCache } from 'lru-cache';
import { guildSuspended } from '../../../core/access/guild-access.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { clock } from '../../../lib/clock.js';
import { Conflict } from '../../../lib/errors.js';
import { SingleFlight } from '../../../lib/single-flight.js';
import type { Lease } from '../../../platforms/database/lease.js';
import { readStoredRules, rulesKeyOf } from '../plan/guild-rules.js';
import { readRulesSnapshot } from '../plan/rules-snapshot.js';

/** Facts of this age are good enough for a write, so that a quick one costs no further read. */
const freshForMs = 250;

/** The facts about a guild by which a change was planned. */
export interface Gate {
  /** The key of the rules, which includes the guild's mode; null: the change holds under any rules. */
  rulesKey: string | null;
  /** When they were read, by `clock.monotonicMs()`. */
  readAt: number;
}

/** The guild's rules or its mode have changed since the change was planned: it has to be planned again. */
export class RulesChanged extends Conflict {
  constructor() {
    super('busy', 'The rules of this server have just changed. Try again in a moment.');
  }
}

/** A guild as the gate has read it. */
interface GateReading {
  guild: Guild | null;
  rulesKey: string;
  inChange: boolean;
  readAt: number;
}

/** The latest readings of guilds in which writes waited. The changes of a guild share them. */
const latest = new LRUCache<string, GateReading>({ max: 2_000 });

const readings = new SingleFlight(async (guildId): Promise<GateReading> => {
  const readAt = clock.monotonicMs();
  const snapshot = await readRulesSnapshot(guildId);
  const { guild } = snapshot;
  const rules = guild && (await readStoredRules(guild, {}, snapshot));
  const rulesKey = rules === null ? '' : rulesKeyOf(rules);
  const reading = { guild, rulesKey, inChange: rules?.inChange === true, readAt };
  latest.set(guildId, reading);
  return reading;
});

/**
 * The one gate of all writes to a member on Discord, passed when a write is sent (SYNC-58). Nothing is sent once the
 * member's lease may have passed to another process. After a wait the guild is read again: nothing is sent by rules or
 * in a mode that no longer hold, nor in a suspended guild. Throws Conflict `lease_lost` or `busy`, Forbidden
 * `guild_suspended`, and RulesChanged.
 */
export async function passGate({ guildId, gate, lease }: GatedChange): Promise<void> {
  lease.requireHeld();
  if (isFresh(gate)) return;
  const known = latest.get(guildId);
  const isKnown = known !== undefined && isFresh(known) && obstacleTo(gate, known) === null;
  const now = isKnown ? known : await readings.get(guildId);
  const obstacle = obstacleTo(gate, now);
  if (obstacle !== null) throw obstacle;
  gate.readAt = now.readAt;
  lease.requireHeld();
}

interface GatedChange {
  guildId: string;
  gate: Gate;
  lease: Pick<Lease, 'requireHeld'>;
}

const isFresh = ({ readAt }: Pick<Gate, 'readAt'>): boolean => clock.monotonicMs() - readAt <= freshForMs;

/** The obstacle to a change now. Without the bot in the guild Discord itself refuses. */
function obstacleTo({ rulesKey }: Gate, { guild, inChange, ...now }: GateReading): Error | null {
  if (guild === null) return null;
  if (guild.state === 'suspended') return guildSuspended(guild);
  if (rulesKey === null) return null;
  if (inChange) return new RulesInChange();
  return now.rulesKey === rulesKey ? null : new RulesChanged();
}
