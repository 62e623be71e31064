import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';
import { hasOpenCloud } from '../../platforms/roblox/open-cloud.js';
import { itemsOf, matches, type TraitCondition, traitConditionsOf } from '../mappings/condition.js';
import { type GameTraits, itemKey } from '../mappings/game-traits.js';
import { enabledMappings } from '../mappings/mapping-service.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { announceSync, owedSync } from '../members/owed-syncs.js';
import type { StoredAccount } from './account-model.js';

// Open Cloud shows 100 inventories a minute, so the accounts of a guild are not read at once: whoever has to be read is
// owed a reading, and guilds take turns at them. A reading is a sync of that member, which asks Roblox itself.

/** How many readings of inventories begin in a minute: the rest of the key's 100 is left to people who wait. */
const readingsPerRun = 60;
/** A profile costs little of a minute's 1,000. */
const costOfProfile = 0.15;
/** The time until a reading that failed is tried again. */
const retryMs = 10 * minuteMs;

/** Whether Roblox has to be asked before these conditions can be told; not of what it may not tell. Pure but for the key. */
export function needsReading(wanted: readonly TraitCondition[], traits: GameTraits): boolean {
  const facts = { verified: true, ranks: new Map(), missing: new Set<string>(), traits };
  return wanted.some((each) => {
    if (matches(each, facts) !== null || (each.type === 'owns_item' && traits.isPrivate)) return false;
    return each.type === 'account_age' || hasOpenCloud();
  });
}

/** These members are owed a reading, at once or a while after one that failed. */
export async function oweReadings(
  guildId: string,
  chatUserIds: readonly string[],
  { afterFailure = false } = {},
): Promise<void> {
  if (chatUserIds.length === 0) return;
  const traitsDueAt = new Date(clock.epochMs() + (afterFailure ? retryMs : 0));
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }), traitsDueAt: trusted({ $exists: false }) };
  await Members.acrossGuilds.updateMany(theirs, { $set: { traitsDueAt } }).hint(memberIndexes.chatUserId);
}

/** Begins the readings that are due, guild by guild in turn, as many as a minute has room for. */
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

/** Takes up the reading that has been due longest in the next guild behind `after`, and owes the sync that makes it. */
function takeDue(now: Date, after: string): Promise<Member | null> {
  return Members.acrossGuilds
    .findOneAndUpdate(
      { guildId: trusted({ $gt: after }), traitsDueAt: trusted({ $lte: now }) },
      { $set: owedSync('account'), $unset: { traitsDueAt: 1 } },
      { sort: { guildId: 1, traitsDueAt: 1 }, hint: memberIndexes.traitsDueAt },
    )
    .lean<Member | null>()
    .exec();
}

const wantedIn = async (guildId: string): Promise<TraitCondition[]> =>
  traitConditionsOf((await enabledMappings(guildId)).map(({ condition }) => condition));

/** How many calls of the scarce kind a reading takes. */
function costOf(wanted: readonly TraitCondition[]): number {
  const kinds = new Set(itemsOf(wanted).map(({ kind }) => kind));
  return wanted.length === 0 ? 0 : Math.max(kinds.size, costOfProfile);
}

/** Owes a sync in each guild of the person, but `syncedIn`, whose mappings name a trait that has `changed`. */
export async function oweTraitSyncs(
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
    await Members.update({ guildId, ...linked }, { $set: owedSync('account') });
  }
}
