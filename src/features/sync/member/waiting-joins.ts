import { byGuild } from '../../../lib/by-guild.js';
import { clock } from '../../../lib/clock.js';
import { logger } from '../../../lib/logger.js';
import { isKeptByGateway } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { claimMs, renewJoinClaims } from '../../members/pending-syncs.js';

/** Four renewals within a claim, so that three may fail. */
const renewEveryMs = claimMs / 4;
/** A claim's shorter rest is too uncertain: another process may claim the sync soon. */
const leastRestMs = claimMs / 2;

/** A person that joined and waits in this process for their sync. */
interface WaitingJoin {
  guildId: string;
  chatUserId: string;
  /** The member by the gateway's latest event; absent without an event, or if some were lost. */
  gatewayMember: GuildMember | undefined;
  /** No other process claims the sync before, by `clock.monotonicMs()`. */
  claimedUntil: number;
}

const waiting = new Map<string, WaitingJoin>();
let renewal: NodeJS.Timeout | undefined;

const keyOf = (guildId: string, chatUserId: string): string => `${guildId} ${chatUserId}`;

/** Notes a join whose sync has just been stored as pending. Returns false if that person waits here already. */
export function noteWaitingJoin(guildId: string, chatUserId: string, gatewayMember: GuildMember | undefined): boolean {
  const key = keyOf(guildId, chatUserId);
  const isNew = !waiting.has(key);
  const word = gatewayMember ?? waiting.get(key)?.gatewayMember;
  waiting.set(key, { guildId, chatUserId, gatewayMember: word, claimedUntil: clock.monotonicMs() + claimMs });
  renewal ??= setInterval(() => void renewClaims(), renewEveryMs).unref();
  return isNew;
}

/** Stores the gateway's latest state for a waiting member; null if they left. */
export function noteWaitingMember(guildId: string, chatUserId: string, current: () => GuildMember | null): void {
  const join = waiting.get(keyOf(guildId, chatUserId));
  if (join !== undefined) join.gatewayMember = current() ?? undefined;
}

/** A new session has begun, and earlier events may be lost: waiting members are read from Discord. */
export function forgetGatewayWords(): void {
  for (const join of waiting.values()) join.gatewayMember = undefined;
}

/**
 * Ends the wait for a person whose turn has come. `isClaimed`: no other process can be at their sync. The gateway's
 * word is absent while the shard is disconnected.
 */
export function endWait(guildId: string, chatUserId: string): { gatewayMember?: GuildMember; isClaimed: boolean } {
  const key = keyOf(guildId, chatUserId);
  const join = waiting.get(key);
  waiting.delete(key);
  if (waiting.size === 0) stopRenewal();
  if (join === undefined) return { isClaimed: false };
  const isClaimed = join.claimedUntil - clock.monotonicMs() > leastRestMs;
  const { gatewayMember } = join;
  return { isClaimed, ...(gatewayMember !== undefined && isKeptByGateway(guildId) && { gatewayMember }) };
}

/** Forgets all waiting joins, which stay pending in the database. */
export function forgetWaitingJoins(): void {
  waiting.clear();
  stopRenewal();
}

function stopRenewal(): void {
  clearInterval(renewal);
  renewal = undefined;
}

/** Keeps others from claiming the syncs of those who wait. A failed renewal is repeated while the claim lasts. */
async function renewClaims(): Promise<void> {
  const held = [...waiting.values()].filter(({ claimedUntil }) => claimedUntil - clock.monotonicMs() > leastRestMs);
  for (const [guildId, joins] of byGuild(held)) {
    const askedAt = clock.monotonicMs();
    try {
      await renewJoinClaims(
        guildId,
        joins.map(({ chatUserId }) => chatUserId),
      );
      for (const join of joins) join.claimedUntil = Math.max(join.claimedUntil, askedAt + claimMs);
    } catch (err) {
      logger.warn({ err, guildId }, 'join claims not renewed');
    }
  }
}
