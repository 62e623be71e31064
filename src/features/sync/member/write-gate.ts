import { LRUCache } from 'lru-cache';
import { guildSuspended } from '../../../core/access/guild-access.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { clock } from '../../../lib/clock.js';
import { Conflict } from '../../../lib/errors.js';
import { SingleFlight } from '../../../lib/single-flight.js';
import type { Lease } from '../../../platforms/database/lease.js';
import { findLeftOut } from '../../members/left-out.js';
import { readStoredRules, rulesKeyOf } from '../plan/guild-rules.js';
import { readRulesSnapshot } from '../plan/rules-snapshot.js';
import { releaseRemoval, reserveRemoval } from './removal-limit.js';

/** Facts this old are good enough for a write, so that a quick one costs no further read. */
const freshForMs = 250;

/** The facts about a guild by which a change was planned. */
export interface Gate {
  /** The rules' key, which includes the guild's mode; null: the change holds under any rules. */
  rulesKey: string | null;
  /** When they were read, by `clock.monotonicMs()`. */
  readAt: number;
  /** The people that may lose roles within the hour; absent: this one has counted, or its plan has. */
  mostRemovals?: number | undefined;
  /** The count's minute, once the gate has counted this person as losing roles. */
  countedAt?: Date;
}

/** The guild's rules, its mode, its removal count or a person's mark no longer permit the change: plan it again. */
export class PlanOutdated extends Conflict {
  constructor() {
    super('busy', 'The rules of this server have just changed. Try again in a moment.');
  }
}

/** A guild as the gate has read it. */
interface GateReading {
  guild: Guild | null;
  rulesKey: string;
  inChange: boolean;
  leftOut: ReadonlySet<string>;
  readAt: number;
}

/** The latest readings for guilds in which writes waited. A guild's changes share them. */
const latest = new LRUCache<string, GateReading>({ max: 2_000 });

const readings = new SingleFlight(async (guildId): Promise<GateReading> => {
  const readAt = clock.monotonicMs();
  const [snapshot, leftOut] = await Promise.all([readRulesSnapshot(guildId), findLeftOut(guildId)]);
  const { guild } = snapshot;
  const rules = guild && (await readStoredRules(guild, {}, snapshot));
  const rulesKey = rules === null ? '' : rulesKeyOf(rules);
  const ids = new Set(leftOut.map(({ chatUserId }) => chatUserId));
  const reading = { guild, rulesKey, inChange: rules?.inChange === true, leftOut: ids, readAt };
  latest.set(guildId, reading);
  return reading;
});

/**
 * The one gate for all writes to a member on Discord, passed when a write is sent (SYNC-58). Nothing is sent once the
 * member's lease may have passed to another process. After a wait the guild is read again: nothing is sent by rules or
 * in a mode that no longer hold, to a person left out since, nor in a suspended guild. A write that `takes` counts its
 * person here, and is not sent beyond the removal limit (SYNC-65). Throws Conflict `lease_lost` or `busy`, Forbidden
 * `guild_suspended`, and PlanOutdated.
 */
export async function passGate(change: GatedChange, takes: boolean): Promise<void> {
  const { gate, lease } = change;
  lease.requireHeld();
  if (!isFresh(gate)) await lookAgain(change);
  if (takes) await countLoss(change);
  lease.requireHeld();
}

async function lookAgain({ guildId, chatUserId, gate }: GatedChange): Promise<void> {
  const known = latest.get(guildId);
  const who = { ...gate, chatUserId };
  const isKnown = known !== undefined && isFresh(known) && obstacleTo(who, known) === null;
  const now = isKnown ? known : await readings.get(guildId);
  const obstacle = obstacleTo(who, now);
  if (obstacle !== null) throw obstacle;
  gate.readAt = now.readAt;
}

/** Counts a person once, however many roles they lose and however often a write is sent. */
async function countLoss({ guildId, gate }: GatedChange): Promise<void> {
  if (gate.mostRemovals === undefined || gate.countedAt !== undefined) return;
  const countedAt = await reserveRemoval(guildId, gate.mostRemovals);
  if (countedAt === null) throw new PlanOutdated();
  gate.countedAt = countedAt;
}

/** Takes back the count for a person that has lost nothing. */
export async function uncount({ guildId, gate }: Pick<GatedChange, 'guildId' | 'gate'>): Promise<void> {
  if (gate.countedAt !== undefined) await releaseRemoval(guildId, gate.countedAt);
  delete gate.countedAt;
}

interface GatedChange {
  guildId: string;
  chatUserId: string;
  gate: Gate;
  lease: Pick<Lease, 'requireHeld'>;
}

const isFresh = ({ readAt }: Pick<Gate, 'readAt'>): boolean => clock.monotonicMs() - readAt <= freshForMs;

/** The obstacle to a change now. Without the bot in the guild Discord itself refuses. */
function obstacleTo(
  { rulesKey, chatUserId }: Pick<Gate, 'rulesKey'> & Pick<GatedChange, 'chatUserId'>,
  { guild, inChange, leftOut, ...now }: GateReading,
): Error | null {
  if (guild === null) return null;
  if (guild.state === 'suspended') return guildSuspended(guild);
  if (leftOut.has(chatUserId)) return new PlanOutdated();
  if (rulesKey === null) return null;
  if (inChange) return new RulesInChange();
  return now.rulesKey === rulesKey ? null : new PlanOutdated();
}
