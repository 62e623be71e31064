import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { itemsOf, matches, type TraitCondition, traitConditionsOf } from '../mappings/condition.js';
import { type GameTraits, itemKey } from '../mappings/game-traits.js';
import { enabledMappings } from '../mappings/mapping-service.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { announceSync, pendingSync } from '../members/pending-syncs.js';
import type { StoredAccount } from './account-model.js';

// Open Cloud allows 100 inventory reads a minute, so the accounts of a guild are not read all together. Members wait
// for a reading, and guilds take turns. A reading is a sync of that member, which calls Roblox itself.

/** Inventory readings started per minute. The rest of the key's 100 is left for people that wait. */
const readingsPerRun = 60;
/** A profile uses little of the limit of 1,000 a minute. */
const costOfProfile = 0.15;
/** Time until a failed reading is tried again. */
const retryMs = 10 * minuteMs;

/**
 * Whether these conditions need a call to Roblox first. Ignores traits that Roblox may not report. Pure but for the
 * key.
 */
export function needsReading(wanted: readonly TraitCondition[], traits: GameTraits): boolean {
  const facts = { verified: true, ranks: new Map(), missing: new Set<string>(), traits };
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
  const traitsDueAt = new Date(clock.epochMs() + (afterFailure ? retryMs : 0));
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), traitsDueAt: trusted({ $exists: false }) };
  await Members.acrossGuilds.updateMany(theirs, { $set: { traitsDueAt } }).hint(memberIndexes.chatUserId);
}

/** Starts due readings, guild by guild in turn, up to the limit of a minute. */
export async function beginDueReadings(now: Date, signal: AbortSignal): Promise<void> {
  const costs = new Map<string, number>();
  let after = '';
  for (let left = readingsPerRun; left > 0 && !signal.aborted; ) {
    const due = (await takeDue(now, after)) ?? (after === '' ? null : await takeDue(now, ''));
    if (due === null) return;
    after = due.guildId;
    const cost = costs.get(after) ?? costOf(await wantedIn(after));
    costs.set(after, cost);
    left -= cost;
    if (cost > 0) announceSync(due, 'account');
  }
}

/** Claims the oldest due reading in the next guild after `after`, and enqueues the sync that makes it. */
function takeDue(now: Date, after: string): Promise<Member | null> {
  return Members.acrossGuilds
    .findOneAndUpdate(
      { guildId: trusted({ $gt: after }), traitsDueAt: trusted({ $lte: now }) },
      { $set: pendingSync('account'), $unset: { traitsDueAt: 1 } },
      { sort: { guildId: 1, traitsDueAt: 1 }, hint: memberIndexes.traitsDueAt },
    )
    .lean<Member | null>()
    .exec();
}

const wantedIn = async (guildId: string): Promise<TraitCondition[]> =>
  traitConditionsOf((await enabledMappings(guildId)).map(({ condition }) => condition));

/** The number of scarce calls that a reading takes. */
function costOf(wanted: readonly TraitCondition[]): number {
  const kinds = new Set(itemsOf(wanted).map(({ kind }) => kind));
  return wanted.length === 0 ? 0 : Math.max(kinds.size, costOfProfile);
}

/** Enqueues a sync in each guild of the person, except `syncedIn`, with mappings that use a `changed` trait. */
export async function enqueueTraitSyncs(
  { _id: chatUserId, gameUserId }: StoredAccount,
  changed: ReadonlySet<string>,
  syncedIn?: string,
): Promise<void> {
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
