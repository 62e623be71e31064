import { trusted } from 'mongoose';
import { minuteMs } from '../../lib/time.js';
import { pending } from '../../platforms/database/pending.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { itemsOf, matches, type TraitCondition, traitConditionsOf } from '../mappings/condition.js';
import { type GameTraits, itemKey } from '../mappings/game-traits.js';
import { enabledMappings } from '../mappings/mapping-service.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { announceSync, pendingSync } from '../members/pending-syncs.js';
import { personOfAccount, type StoredAccount } from './account-model.js';

// Open Cloud allows 100 inventory reads a minute, so a guild's accounts are not read all together. Members wait for a
// reading, and guilds take turns. A reading is that member's sync, which calls Roblox itself.

/** Inventory readings started per minute. The rest of the key's 100 is left for people that wait. */
const readingsPerRun = 60;
/** A profile uses little of the 1,000 a minute. */
const costOfProfile = 0.15;
/** Time until a failed reading is tried again. */
const retryMs = 10 * minuteMs;

const readings = pending<Member>(Members.acrossGuilds, 'traitsDueAt', {
  what: 'reading of an account',
  index: memberIndexes.traitsDueAt,
  claimMs: retryMs,
  fairBy: 'guildId',
});

/**
 * Whether these conditions need a call to Roblox first. Ignores traits that Roblox may not report. Pure but for the
 * key.
 */
export function needsReading(wanted: readonly TraitCondition[], traits: GameTraits): boolean {
  const facts = {
    verified: true,
    ranks: new Map(),
    missing: new Set<string>(),
    highestOnly: undefined,
    traits,
    reported: null,
  };
  return wanted.some((each) => {
    if (matches(each, facts) !== null || (each.type === 'owns_item' && traits.isPrivate)) return false;
    return each.type === 'account_age' || hasOpenCloud();
  });
}

/** Enqueues readings for these members, immediately or a while after a failed one. */
export async function enqueueReadings(
  guildId: string,
  chatUserIds: readonly string[],
  { afterFailure = false } = {},
): Promise<void> {
  if (chatUserIds.length === 0) return;
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), traitsDueAt: trusted({ $exists: false }) };
  await readings.enqueue(theirs, { afterMs: afterFailure ? retryMs : 0, index: memberIndexes.chatUserId });
}

/** Starts due readings, guild by guild in turn, up to a minute's limit. Each enqueues the sync that makes it. */
export async function beginDueReadings(signal: AbortSignal): Promise<void> {
  const costs = new Map<string, number>();
  for (let left = readingsPerRun; left > 0 && !signal.aborted; ) {
    const due = await readings.completeNext({ $set: pendingSync('account') });
    if (due === null) return;
    const { guildId } = due;
    const cost = costs.get(guildId) ?? costOf(await wantedIn(guildId));
    costs.set(guildId, cost);
    left -= cost;
    if (cost > 0) announceSync(due, 'account');
  }
}

const wantedIn = async (guildId: string): Promise<TraitCondition[]> =>
  traitConditionsOf((await enabledMappings(guildId)).map(({ condition }) => condition));

/** How many scarce calls a reading takes. */
function costOf(wanted: readonly TraitCondition[]): number {
  const kinds = new Set(itemsOf(wanted).map(({ kind }) => kind));
  return wanted.length === 0 ? 0 : Math.max(kinds.size, costOfProfile);
}

/** Enqueues a sync in each guild the person is in, except `syncedIn`, with mappings that use a `changed` trait. */
export async function enqueueTraitSyncs(
  account: StoredAccount,
  changed: ReadonlySet<string>,
  syncedIn?: string,
): Promise<void> {
  const { gameUserId } = account;
  const chatUserId = personOfAccount(account);
  const linked = { chatUserId, ...(gameUserId !== undefined && { gameUserId }), state: 'linked' as const };
  for await (const { guildId, present } of Members.acrossGuilds
    .find(linked)
    .hint({ chatUserId: 1 })
    .lean<Member>()
    .cursor()) {
    if (guildId === syncedIn || !present) continue;
    const named = await wantedIn(guildId);
    if (!named.some((each) => changed.has(each.type === 'owns_item' ? itemKey(each) : each.type))) continue;
    await Members.update({ guildId, ...linked }, { $set: pendingSync('account') });
  }
}
