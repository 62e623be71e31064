import { config } from '../../config/config.js';
import type { LinkedFact } from '../../config/linked-facts.js';
import { clock } from '../../lib/clock.js';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { dayMs } from '../../lib/time.js';
import type { RoleConnection } from '../../platforms/discord/role-connections.js';
import { readGameGroup } from '../../platforms/roblox/game-groups.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import type { GroupRoles } from '../../platforms/roblox/held-roles.js';
import { readMemberships } from '../../platforms/roblox/memberships.js';
import { readJoinedAt } from '../../platforms/roblox/open-cloud-memberships.js';
import { readAgain } from '../../platforms/roblox/second-reading.js';
import { gameCreatedAtOf } from '../accounts/account-age.js';
import { noteMissing } from '../accounts/account-gone.js';
import { type Account, findAccount } from '../accounts/account-service.js';

/** Values by key. */
type Facts = Readonly<Record<string, string>>;

/**
 * The facts that Discord may have about a person now; null: none, as a proof is missing.
 * `before`: the facts written last. Throws GamePlatformUnavailable on any doubt, so that nothing is written.
 */
export async function connectionNow(chatUserId: string, before: Facts): Promise<RoleConnection | null> {
  const account = await findAccount(chatUserId);
  if (account === null) return null;
  const { gameUsername, missingSince, goneSince } = account;
  if (missingSince !== undefined)
    throw new GamePlatformUnavailable('Roblox has yet to confirm that it has no such account.');
  const read = goneSince === undefined ? await readFacts(account, before) : nothing;
  const known = config().linkedRoles.flatMap(({ key, kind }): [string, string][] => {
    const value = kind === 'verified' ? 1 : read(key);
    return value === undefined ? [] : [[key, String(value)]];
  });
  return { gameUsername, metadata: Object.fromEntries(known) };
}

export const publishedKeys = (): string =>
  config()
    .linkedRoles.map(({ key }) => key)
    .join();

/** A fact's value by its key; undefined: not known, and so left out. */
type Reading = (key: string) => number | string | undefined;

/** A gone account's reading: only its proof counts (LINK-12). */
const nothing: Reading = () => 0;

async function readFacts(account: Account, before: Facts): Promise<Reading> {
  const facts = config().linkedRoles;
  const ranks = await readRanks(account.gameUserId, facts, before);
  const read = facts.map(async (fact): Promise<[string, number | string | undefined]> => {
    const value = await readFact(account, fact, ranks);
    return [fact.key, value ?? before[fact.key]];
  });
  const values = new Map(await Promise.all(read));
  return (key) => values.get(key);
}

/** One fact's value; null: Roblox does not report it, which changes nothing. */
async function readFact(
  account: Account,
  { kind, groupId = '' }: LinkedFact,
  ranks: ReadonlyMap<string, number | null>,
): Promise<number | null> {
  const { gameUserId } = account;
  const rank = ranks.get(groupId) ?? null;
  switch (kind) {
    case 'verified':
      return 1;
    case 'rank':
      return rank;
    case 'member_since':
      return rank === null || rank === 0 ? rank : daysSince(await readJoinedAt(gameUserId, groupId));
    case 'account_age':
      return daysSince((await gameCreatedAtOf(account)) ?? (await isMissing(gameUserId)));
    case 'premium': {
      const { premium } = (await readGameUser(gameUserId, { fresh: true })) ?? (await isMissing(gameUserId));
      return premium === null ? null : Number(premium);
    }
  }
}

const daysSince = (then: Date): number => Math.max(0, Math.floor((clock.epochMs() - then.getTime()) / dayMs));

/** The highest rank in each group, 0 outside of it; null: Roblox no longer knows the group, which decides nothing. */
async function readRanks(
  gameUserId: string,
  facts: readonly LinkedFact[],
  before: Facts,
): Promise<Map<string, number | null>> {
  const groupIds = [...new Set(facts.flatMap(({ groupId }) => groupId ?? []))];
  const held = (await readMemberships(gameUserId, groupIds, { fresh: true })) ?? (await isMissing(gameUserId));
  const ranks = new Map<string, number | null>(groupIds.map((groupId) => [groupId, rankIn(held, groupId)]));
  const lost = facts.flatMap(({ key, kind, groupId = '' }) => {
    const isLess = kind === 'rank' ? Number(before[key] ?? 0) > rankIn(held, groupId) : rankIn(held, groupId) === 0;
    return groupId !== '' && Number(before[key] ?? 0) > 0 && isLess ? groupId : [];
  });
  if (lost.length > 0) await confirmLoss(gameUserId, [...new Set(lost)], held);
  for (const groupId of lost) if ((await readGameGroup(groupId, { fresh: true })) === null) ranks.set(groupId, null);
  return ranks;
}

const rankIn = (held: GroupRoles, groupId: string): number => held.get(groupId)?.[0]?.rank ?? 0;

/** Before a fact is lowered on Discord, Roblox is asked a second time (LINK-14). */
async function confirmLoss(gameUserId: string, groupIds: readonly string[], held: GroupRoles): Promise<void> {
  if ((await readAgain(gameUserId, groupIds, held)) === 'agrees') return;
  throw new GamePlatformUnavailable('Roblox contradicts itself about the groups of this person.');
}

/** One reading reports no account: the next one decides (VER-30), and until then the facts are unknown. */
async function isMissing(gameUserId: string): Promise<never> {
  await noteMissing(gameUserId);
  throw new GamePlatformUnavailable('Roblox shows no such account.');
}
