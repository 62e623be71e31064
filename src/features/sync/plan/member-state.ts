import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { readGameNameInCrowd } from '../../../platforms/roblox/game-user-search.js';
import { isAccountGone, readGameUser } from '../../../platforms/roblox/game-users.js';
import { type HeldRoles, nameRoles, noRanks } from '../../../platforms/roblox/held-roles.js';
import { type GroupRoles, readMemberships } from '../../../platforms/roblox/memberships.js';
import { accountIsBack, noteMissing } from '../../accounts/account-gone.js';
import { gameOf } from '../../accounts/account-in-use.js';
import { readTraits } from '../../accounts/account-traits.js';
import { type GameTraits, noTraits, unknownTraits } from '../../mappings/game-traits.js';
import { type GameIdentity, type Member, Members } from '../../members/member-model.js';
import type { GuildRanks } from './guild-ranks.js';
import { type GuildRules, type MemberNow, readRules } from './guild-rules.js';
import { judge } from './judge-member.js';
import { planSync, type SyncPlan } from './plan.js';
import type { RulesSnapshot } from './rules-snapshot.js';
import type { SeenMember } from './seen-member.js';

/** A member's state by the guild's rules: a plan's input except for Discord's side. */
export interface MemberState extends GuildRules {
  stored: Member | null;
  /** The linked game account with its current names; null if there is none. */
  game: GameIdentity | null;
  ranks: GroupRoles;
  traits: GameTraits;
  readAt: Date;
  /** Whether two readings found the account deleted or banned at Roblox. It has no ranks then (VER-32). */
  gone: boolean;
  /** Whether a person has asked for the sync. */
  byPerson?: boolean;
  /** The group whose roles Roblox itself has answered to a change in it (RANKING-12). */
  toldGroupId?: string;
  /** The reason why the person's groups are unknown: Roblox does not answer, or its answer about the account is new. */
  doubt?: 'account' | 'game_platform_unavailable';
}

/** A person's roles in all groups, by a reading and by Roblox's answer to a change in one of them. */
export interface RanksRead {
  gameUserId: string;
  /** The group of the change. */
  groupId: string;
  held: HeldRoles;
  readAt: Date;
}

/**
 * How Roblox is read: `fresh` past the cache, and `inCrowd` batched with simultaneous joins. `known`: ranks as read a
 * moment ago.
 */
export interface GameReading {
  fresh: boolean;
  inCrowd?: boolean;
  known?: RanksRead | undefined;
}

/**
 * Reads a member's state. A member without a link has no ranks, and Roblox is not asked. Throws GamePlatformUnavailable
 * if Roblox does not answer completely, and then nothing may be planned (SYNC-2).
 */
export async function readMemberState(
  guild: Pick<Guild, '_id' | 'plan'>,
  chatUserId: string,
  reading: GameReading,
): Promise<MemberState> {
  return readMemberStateOf(guild, await Members.findOne({ guildId: guild._id, chatUserId }), reading);
}

/**
 * Reads a member's state from their stored document; null if there is none. `snapshot`: the guild's rules, if they were
 * read later.
 */
export async function readMemberStateOf(
  guild: Pick<Guild, '_id' | 'plan'>,
  stored: Member | null,
  reading: GameReading,
  snapshot?: RulesSnapshot,
): Promise<MemberState> {
  const game = stored === null || stored.state !== 'linked' ? null : gameOf(stored);
  const nothing = { stored, game, ranks: noRanks, traits: noTraits, readAt: clock.now() };
  if (stored === null || game === null)
    return { ...(await readRulesWithoutGame(guild, snapshot)), ...nothing, gone: false };
  if (await isStillGone(stored)) return { ...(await readRules(guild, {}, { snapshot })), ...nothing, gone: true };
  return readLinkedState(await readRules(guild, {}, { snapshot }), { stored, game }, reading);
}

/**
 * The member's state without Roblox: everything that depends on their groups is open. For answers only, not for plans.
 */
export async function memberStateWithoutGame(
  guild: Pick<Guild, '_id' | 'plan'>,
  chatUserId: string,
): Promise<MemberState> {
  const [stored, rules] = await Promise.all([
    Members.findOne({ guildId: guild._id, chatUserId }),
    readRulesWithoutGame(guild),
  ]);
  const game = stored === null || stored.state !== 'linked' ? null : gameOf(stored);
  const missing = new Set(rules.groupIds);
  const open = { ranks: noRanks, traits: unknownTraits, gone: false, doubt: 'game_platform_unavailable' as const };
  return { ...rules, missing, stored, game, readAt: clock.now(), ...open };
}

const readRulesWithoutGame = (guild: Pick<Guild, '_id' | 'plan'>, snapshot?: RulesSnapshot): Promise<GuildRules> =>
  readRules(guild, {}, { asksGame: false, snapshot });

async function isStillGone(stored: Member | null): Promise<boolean> {
  if (stored?.goneSince === undefined || stored.gameUserId === undefined) return false;
  if (await isAccountGone(stored.gameUserId)) return true;
  await accountIsBack(stored.gameUserId);
  return false;
}

async function readLinkedState(
  rules: GuildRules,
  { stored, game: linked }: { stored: Member; game: GameIdentity },
  { fresh, inCrowd = false, known }: GameReading,
): Promise<MemberState> {
  const told = known?.gameUserId === linked.gameUserId ? known : undefined;
  const readAt = told?.readAt ?? clock.now();
  const [user, ranks] = await Promise.all([
    rules.settings.nickname.enabled
      ? readIdentity(linked.gameUserId, { fresh: fresh && told === undefined, inCrowd })
      : undefined,
    told === undefined
      ? readRanksIn(rules.groupIds, linked, { fresh, inCrowd })
      : nameRoles(new Map([[linked.gameUserId, told.held]]), rules.groupIds).then((all) => all.get(linked.gameUserId)),
  ]);
  const read = { ...rules, stored, game: user ?? linked, ranks: ranks ?? noRanks, readAt, gone: false };
  const memberState = told === undefined ? read : { ...read, toldGroupId: told.groupId };
  if (user === null || ranks === null || ranks === undefined)
    return undecided({ ...memberState, traits: unknownTraits });
  return { ...memberState, traits: await readTraits(stored, rules.traitsWanted, { fresh }) };
}

const readRanksIn = (groupIds: readonly string[], { gameUserId }: GameIdentity, reading: GameReading) =>
  groupIds.length === 0 ? Promise.resolve(noRanks) : readMemberships(gameUserId, groupIds, reading);

/** The account with its current names; null if Roblox has no such account or has banned it. */
async function readIdentity(gameUserId: string, { fresh, inCrowd }: GameReading): Promise<GameIdentity | null> {
  if (inCrowd) return readGameNameInCrowd(gameUserId);
  const user = await readGameUser(gameUserId, { fresh });
  return user?.banned === true ? null : user;
}

/**
 * Stores that Roblox for the first time returned the account as missing or banned, so that it is read again. Until then
 * no group decides anything about the person.
 */
export async function undecided(memberState: MemberState): Promise<MemberState> {
  if (memberState.game !== null) await noteMissing(memberState.game.gameUserId);
  const missing = new Set(memberState.groupIds);
  return { ...memberState, ranks: noRanks, traits: unknownTraits, missing, doubt: 'account' };
}

/** The facts read for many members at the same time, and the traits for one. */
export interface CrowdReading {
  rules: GuildRules;
  ranks: GuildRanks;
  readAt: Date;
  /** The stored traits; absent if unknown. */
  traits: GameTraits | undefined;
}

/**
 * A member's state by facts that were read for many. Names on Roblox are the last seen ones. Null: Roblox did not
 * answer about the account, or was not asked. Pure.
 */
export function memberStateInCrowd(stored: Member | null, reading: CrowdReading): MemberState | null {
  const { rules, readAt, traits = unknownTraits } = reading;
  const game = stored?.state === 'linked' ? gameOf(stored) : null;
  const gone = stored?.goneSince !== undefined;
  const ranks = game === null || gone ? noRanks : reading.ranks.of(game.gameUserId);
  return ranks === undefined ? null : { ...rules, stored, game, ranks, traits, readAt, gone };
}

/** Plans `member`'s sync, as Discord returns them now, from their state. */
export function planMember(memberState: MemberState, member: SeenMember, facts: GuildFacts): SyncPlan {
  return planSync(judge(memberState, { ...nowOf(memberState), member }, facts));
}

/** The part of a member's state that the rules are applied to. Pure. */
export function nowOf({ stored, game, ranks, traits, byPerson }: MemberState): Omit<MemberNow, 'member'> {
  return { stored, game, ranks, traits, byPerson };
}
