import type { Condition } from '../../src/features/mappings/condition.js';
import { clock } from '../../src/lib/clock.js';
import { dayMs } from '../../src/lib/time.js';
import type { DiscordSandbox, SandboxRole } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import type { Confirmed, ConfirmedGuild, ConfirmedMapping, ConfirmedWord } from './confirmed.js';
import { isHeldByDenial, usedIn } from './held-accounts.js';
import { factsAbout, factsFrom, nothingTold, type ToldFacts } from './told-facts.js';

// The roles, nickname and kick that docs/spec expects for each person: from the platforms' state, and from the requests
// to the service.

/** `leave`: the bot neither gives nor takes the role. `any`: the specification leaves it open. */
export type RoleVerdict = 'must' | 'must not' | 'leave' | 'any';

export interface Verdict {
  /** For every role in the guild. */
  roles: Map<string, RoleVerdict>;
  /** Undefined: any nickname. */
  nickname: string | undefined;
  /** RESTR-6: whether the bot kicks them. */
  kick: RoleVerdict;
}

export interface Platforms {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
}

/** The facts that the oracle uses. */
interface Seen {
  discord: DiscordSandbox;
  roblox: Pick<RobloxSandbox, 'user' | 'ranksOf'>;
}

const [kickMembers, administrator, manageNicknames, manageRoles] = [1n << 1n, 1n << 3n, 1n << 27n, 1n << 28n];

/**
 * A guild member's due state. A gone account decides nothing until a second reading confirms it (VER-29): `isSettled`
 * if there was time for it.
 */
export function verdictOn(
  platforms: Seen,
  confirmed: Confirmed,
  guild: ConfirmedGuild,
  chatUserId: string,
  { isSettled }: { isSettled: boolean },
): Verdict {
  const proved = usedIn(confirmed, guild, chatUserId);
  // ID-60: a proof beats the guild's word.
  const word = proved === undefined ? guild.words.get(chatUserId) : undefined;
  const account = proved ?? word?.gameUserId;
  const isGone = account !== undefined && platforms.roblox.user(account).banned;
  const isHeld = isHeldByDenial(confirmed, guild, chatUserId);
  const isUnknown = isHeld || confirmed.uncertain.has(chatUserId) || guild.doubtful.has(chatUserId);
  const isOpen = isUnknown || (isGone && !isSettled);
  // They may have an account that nobody knows here, by which a role is theirs; a guild that changes nobody leaves it.
  const isNameless = isUnknown && account === undefined && !guild.suspended && guild.settings.mode === 'enforce';
  const games = isOpen ? [undefined, account] : linkIn(guild, chatUserId, account);
  const links = games.flatMap((game): Linked[] => {
    const byWord = game === undefined ? undefined : word;
    return factsAbout(guild, chatUserId, game).map((facts) => ({ chatUserId, game, word: byWord, facts }));
  });
  const asSeen = (seen: Seen) => (link: Linked) => verdictAs(seen, confirmed, guild, link);
  const [one, ...others] = links.map(asSeen(platforms));
  if (one === undefined) throw new Error('Nobody is neither linked nor not linked.');
  const early = isSettled ? [] : links.map(asSeen(withOldLooks(platforms)));
  const roles = [...one.roles].map(([id, verdict]): [string, RoleVerdict] => {
    const isSame = others.every((other) => verdict === other.roles.get(id));
    const isCertain = isSame && (!isOpen || (verdict === 'leave' && !isNameless));
    const isEarly = verdict === 'leave' && early.some((each) => each.roles.get(id) === 'must');
    return [id, isCertain && !isEarly ? verdict : 'any'];
  });
  const isNamed = others.every((other) => one.nickname === other.nickname) && !isOpen && !isGone;
  const kick = isOpen || others.some((other) => one.kick !== other.kick) ? 'any' : one.kick;
  return { roles: new Map(roles), nickname: isNamed ? one.nickname : undefined, kick };
}

/**
 * A service's possible outdated view for some minutes, which gives roles but takes none: deleted groups have no members
 * (SYNC-6), and banned people have their ranks (VER-32).
 */
function withOldLooks({ discord, roblox }: Seen): Seen {
  const ranksOf: RobloxSandbox['ranksOf'] = (...asked) => roblox.ranksOf(...asked) ?? [];
  return { discord, roblox: { user: (id) => ({ ...roblox.user(id), banned: false }), ranksOf } };
}

/**
 * The account that a person is linked to here (RESYNC-28). With `autoLinkOnJoin` every known one is linked, except for
 * people that an admin unlinked, that hide their account or were not asked yet. While links are off or people are
 * asked, earlier links stay, which the platforms don't show.
 */
export function linkIn(guild: ConfirmedGuild, person: string, account: string | undefined) {
  const { settings, provenHere, blocked, consents, unseen } = guild;
  const answer = consents.get(person);
  if (account === undefined || blocked.has(person) || answer === 'refused' || unseen.has(person)) return [undefined];
  if (provenHere.has(person)) return [account];
  const isAllowed = answer === 'given' || (settings.reveal === 'auto' && answer !== 'any');
  return settings.autoLinkOnJoin && isAllowed ? [account] : [undefined, account];
}

/** A person with an account, by a proof or by the guild's word, and its facts; undefined: without one. */
interface Linked {
  chatUserId: string;
  game: string | undefined;
  word: ConfirmedWord | undefined;
  facts: ToldFacts;
}

function verdictAs(
  platforms: Seen,
  confirmed: Confirmed,
  guild: ConfirmedGuild,
  { chatUserId, game, word, facts }: Linked,
): Verdict {
  const { discord } = platforms;
  const { settings, guildId } = guild;
  const all = discord.roles(guildId);
  const { roleIds: held = [] } = discord.member(guildId, chatUserId) ?? {};
  const inForce = guild.mappings.filter(({ enabled }) => enabled);
  const bypasses = (what: 'keepRoles' | 'keepNickname') => settings.bypass[what].some((id) => held.includes(id));
  const keepsRoles = game === undefined && !settings.unlink.removeRoles && confirmed.everLinked.has(chatUserId);
  const isBeyond = (role: SandboxRole) => word !== undefined && !isBelowAuthor(discord, guildId, role, word);
  const isSpared = all.some((role) => held.includes(role.id) && isBeyond(role));
  const found = game === undefined ? false : isRestricted(platforms, guild, game);
  // AUTH-63: a restriction spares people who are not below the word's author.
  const restricted = isSpared && found !== false ? null : found;
  // OBS-1: a guild that observes changes nobody.
  const isPassive = guild.suspended || settings.mode === 'observe';
  const roles = all.map((role): [string, RoleVerdict] => {
    const naming = inForce.flatMap((mapping) => asRankOf(role, all, mapping));
    if (naming.length === 0 || isPassive || isOutOfReach(platforms, guildId, role)) return [role.id, 'leave'];
    if (bypasses('keepRoles')) return [role.id, 'leave'];
    // AUTH-62: a word gives and takes only roles below its author.
    if (isBeyond(role)) return [role.id, 'leave'];
    // Held until an admin confirms it (AUTH-40); whether one has, a mapping that was written since would have to say.
    if ((role.permissions & kickMembers) !== 0n) return [role.id, 'any'];
    // FACT-14: a fact counts only for roles below its author.
    const counting = factsFrom(facts, (by) => isBelowAuthor(discord, guildId, role, by));
    const verdict = oneOf(naming.map((mapping) => judge(platforms, mapping, { game, facts: counting }, restricted)));
    return [role.id, verdict === 'must not' && keepsRoles ? 'any' : verdict];
  });
  const mayRename = !isPassive && chatUserId !== guild.ownerId && botMay(platforms, guildId, manageNicknames);
  const isInReach = held.every((id) => all.every((role) => role.id !== id || isBelowBot(discord, guildId, role)));
  const isNamed =
    game !== undefined && settings.nickname.enabled && mayRename && isInReach && !bypasses('keepNickname');
  const template = isNamed ? templateFor(platforms, guild, { game, facts }, restricted) : undefined;
  const isKnown = game !== undefined && template !== undefined;
  const name = isKnown ? nickname(platforms, template, chatUserId, game) : undefined;
  const isKicked = game !== undefined && restricted === true && !platforms.roblox.user(game).banned;
  const mayKick = !isPassive && chatUserId !== guild.ownerId && isInReach && botMay(platforms, guildId, kickMembers);
  const kicks = isKicked && mayKick && settings.restrictions.action === 'kick' && !bypasses('keepRoles');
  return { roles: new Map(roles), nickname: name, kick: kicks ? 'must' : 'must not' };
}

/** The sandbox groups' ranks, by name. */
const rankOf: Readonly<Record<string, number>> = { member: 1, officer: 100, owner: 255 };

/**
 * MAP-5: for a whole group, the rank that the role is called like, if it alone is; for others, whether they name it.
 */
function asRankOf(role: SandboxRole, all: readonly SandboxRole[], mapping: ConfirmedMapping): ConfirmedMapping[] {
  const { condition } = mapping;
  if (condition.type !== 'group_roles') return mapping.roleIds.includes(role.id) ? [mapping] : [];
  const name = role.name.trim().toLowerCase();
  const rank = rankOf[name];
  if (rank === undefined || all.some((other) => other !== role && other.name.trim().toLowerCase() === name)) return [];
  const { groupId } = condition;
  return [{ ...mapping, condition: { type: 'group_rank', groupId, min: rank, max: rank } }];
}

/**
 * MAP-14: a matching mapping gives; a role goes only if every mapping with it agrees. SYNC-8: a gone group decides
 * nothing.
 */
function oneOf(verdicts: readonly RoleVerdict[]): RoleVerdict {
  if (verdicts.includes('must')) return 'must';
  if (verdicts.includes('leave')) return 'leave';
  return verdicts.includes('any') ? 'any' : 'must not';
}

/** Null: the group is gone. */
function ranksIn(roblox: Seen['roblox'], groupId: string, game: string | undefined): number[] | null {
  const ranks = roblox.ranksOf(groupId, game ?? '');
  return ranks !== null && game !== undefined && roblox.user(game).banned ? [] : ranks;
}

/** RESTR-4; null while it hangs on a group that is gone. */
function isRestricted({ roblox }: Seen, { settings }: ConfirmedGuild, game: string): boolean | null {
  const { minimumAccountAgeDays: days, requiredGroupIds, deniedGroupIds, deniedGameUserIds } = settings.restrictions;
  if (deniedGameUserIds.includes(game)) return true;
  const inAny = (groupIds: string[]): Condition => ({
    type: 'any',
    of: groupIds.map((groupId) => ({ type: 'group_member', groupId })),
  });
  const asked: Condition[] = [not(inAny(deniedGroupIds))];
  if (requiredGroupIds.length > 0) asked.push(inAny(requiredGroupIds));
  if (days > 0) asked.push({ type: 'account_age', days });
  return negated(matches(roblox, { type: 'all', of: asked }, { game, facts: nothingTold }));
}

function judge(
  { roblox }: Seen,
  { condition, removeWhenUnmatched }: ConfirmedMapping,
  known: Known,
  restricted: boolean | null,
): RoleVerdict {
  const matched = restricted === false ? matches(roblox, condition, known) : negated(restricted);
  if (matched) return 'must';
  // SYNC-12: Roblox is not asked about people without a link, so a group may be gone without anybody knowing.
  if (matched === null && known.game === undefined) return 'any';
  return matched === false && removeWhenUnmatched ? 'must not' : 'leave';
}

type Known = Pick<Linked, 'game' | 'facts'>;

/** MAP-11; null if it depends on unknown facts. */
function matches(roblox: Seen['roblox'], wanted: Condition, known: Known): boolean | null {
  const { game } = known;
  if (wanted.type === 'verified' || wanted.type === 'unverified')
    return (wanted.type === 'verified') === (game !== undefined);
  if (wanted.type === 'not') return negated(matches(roblox, wanted.of, known));
  if (wanted.type === 'any') return negated(matches(roblox, { type: 'all', of: wanted.of.map(not) }, known));
  if (wanted.type === 'all') {
    const parts = wanted.of.map((part) => matches(roblox, part, known));
    return parts.includes(false) ? false : parts.includes(null) ? null : true;
  }
  if (wanted.type === 'fact') return hasFact(roblox, wanted, known);
  if (!('groupId' in wanted)) return hasTrait(roblox, wanted, game);
  const ranks = ranksIn(roblox, wanted.groupId, game);
  if (ranks === null) return null;
  if (wanted.type === 'group_member') return ranks.length > 0;
  if (wanted.type === 'group_rank') return ranks.some((rank) => rank >= wanted.min && rank <= wanted.max);
  throw new Error('No script maps a single Roblox role.');
}

/** MAP-10: the account's own trait; a missing or gone account has none. */
function hasTrait(
  roblox: Seen['roblox'],
  wanted: Extract<Condition, { type: 'premium' | 'account_age' | 'owns_item' }>,
  game: string | undefined,
): boolean | null {
  if (game === undefined) return false;
  const { banned, premium, createdAt, items, inventoryPrivate } = roblox.user(game);
  if (banned) return false;
  if (wanted.type === 'premium') return premium;
  if (wanted.type === 'account_age') return clock.epochMs() - createdAt.getTime() >= wanted.days * dayMs;
  return inventoryPrivate ? null : items.some(({ kind, id }) => kind === wanted.kind && id === wanted.id);
}

/** FACT-10: a fact that nobody has reported is unknown, and a missing or gone account has none. */
function hasFact(
  roblox: Seen['roblox'],
  { key, is, atLeast, atMost }: Extract<Condition, { type: 'fact' }>,
  { game, facts }: Known,
): boolean | null {
  if (game === undefined || roblox.user(game).banned) return false;
  const value = facts.get(key)?.value;
  if (value === undefined) return null;
  if (is !== undefined) return value === is;
  if (typeof value !== 'number') return false;
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

const negated = (answer: boolean | null): boolean | null => (answer === null ? null : !answer);
const not = (of: Condition): Condition => ({ type: 'not', of });

/** SYNC-24, but for a dangerous role. */
function isOutOfReach(platforms: Seen, guildId: string, role: SandboxRole): boolean {
  const mayManage = botMay(platforms, guildId, manageRoles);
  return role.id === guildId || role.managed || !mayManage || !isBelowBot(platforms.discord, guildId, role);
}

const botMay = ({ discord }: Seen, guildId: string, permission: bigint): boolean =>
  (discord.botRole(guildId).permissions & (permission | administrator)) !== 0n;

function isBelowBot(discord: DiscordSandbox, guildId: string, role: SandboxRole): boolean {
  return isBelow(role, discord.botRole(guildId));
}

/** AUTH-61: a role must be below the author's highest; one that was deleted is above nothing. */
function isBelowAuthor(
  discord: DiscordSandbox,
  guildId: string,
  role: SandboxRole,
  { ceilingRoleId }: Pick<ConfirmedWord, 'ceilingRoleId'>,
): boolean {
  if (ceilingRoleId === null) return true;
  const highest = discord.roles(guildId).find(({ id }) => id === ceilingRoleId);
  return highest !== undefined && isBelow(role, highest);
}

/** Discord's order: by position, and among equals the older role is higher. */
export const isBelow = (role: SandboxRole, other: SandboxRole): boolean =>
  other.position > role.position || (other.position === role.position && BigInt(other.id) < BigInt(role.id));

/**
 * MAP-19: mappings' nicknames, which restricted people don't get; undefined while it is unknown whether a mapping with
 * higher precedence matches.
 */
function templateFor(
  { roblox }: Seen,
  guild: ConfirmedGuild,
  known: Known,
  restricted: boolean | null,
): string | undefined {
  const naming = guild.mappings.filter(({ enabled, nickname }) => enabled && nickname && restricted === false);
  for (const { condition, nickname } of naming.sort((a, b) => orderOf(a) - orderOf(b))) {
    const matched = matches(roblox, condition, known);
    if (matched === null) return undefined;
    if (matched) return nickname?.template;
  }
  return guild.settings.nickname.template;
}

const orderOf = ({ nickname }: ConfirmedMapping): number => nickname?.order ?? 0;

/** MAP-23: cut to 32 characters. */
function nickname({ discord, roblox }: Seen, template: string, chatUserId: string, game: string): string {
  const text = template
    .replaceAll('{gameUsername}', roblox.user(game).username)
    .replaceAll('{chatUsername}', discord.user(chatUserId).username);
  return [...text].slice(0, 32).join('').trim();
}
