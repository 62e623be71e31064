import { type Actor, personBehind } from '../../core/actors/actor.js';
import { holds } from '../../core/actors/team-roles.js';
import type { LinkedGroup } from '../../core/groups/group-model.js';
import { defaultRankingRules } from '../../core/groups/ranking-rules.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { Forbidden } from '../../lib/errors.js';
import { readMemberRoleIds } from '../../platforms/discord/guild-members.js';
import { allAccounts } from '../accounts/account-service.js';
import { findMember } from '../members/member-service.js';

/** The rights of the author of a change, apart from ranks on Roblox. */
export interface Ranker {
  /** The person or token whose changes count for the limit. */
  by: string;
  perHour: number;
  /** Null: any below their own. */
  highestRank: number | null;
  lowestRank: number;
  mayDemote: boolean;
  /** Their proved account in use here. Null: the author is the operator, on the command line. */
  gameUserId: string | null;
  /** Nobody ranks themselves. Their other accounts are here too, but not for a token. */
  ownGameUserIds: ReadonlySet<string>;
}

/**
 * The rights of this actor in a group of the guild (RANKING-4). A token does what its maker could (RANKING-6). Throws
 * Forbidden `ranking_not_allowed`, and `own_rank_unknown` for a person without a proved account here.
 */
export async function rankerIn(guild: Guild, actor: Actor, group: LinkedGroup): Promise<Ranker> {
  const { ranksOnly } = actor;
  const rules = group.ranking ?? defaultRankingRules;
  if (ranksOnly !== undefined && !ranksOnly.groupIds.includes(group.groupId)) throw notAllowed();
  const personId = personBehind(actor);
  const role = ranksOnly?.makerRole ?? actor.role;
  const isAllowed = rules.teamRole !== null && holds(role, rules.teamRole);
  // A token below `manager` only reads, whatever roles its maker has on Discord.
  const isReader = actor.kind !== 'user' && ranksOnly === undefined && !holds(role, 'manager');
  if (!isAllowed && (isReader || !(await hasRole(guild._id, personId, rules.roleIds)))) throw notAllowed();
  const limits = ranksOnly ?? { lowestRank: 1, highestRank: null, mayDemote: true, perHour: rules.perHour };
  return {
    by: ranksOnly === undefined ? (personId ?? actor.id) : actor.id,
    ...{ perHour: limits.perHour, lowestRank: limits.lowestRank, mayDemote: limits.mayDemote },
    highestRank: lower(limits.highestRank, rules.highestRank),
    ...(personId === null ? operator : await accountsOf(guild._id, personId, actor.kind === 'user')),
  };
}

const operator = { gameUserId: null, ownGameUserIds: new Set<string>() };

async function hasRole(guildId: string, personId: string | null, roleIds: readonly string[]): Promise<boolean> {
  if (personId === null || roleIds.length === 0) return false;
  const held = (await readMemberRoleIds(guildId, personId)) ?? [];
  return held.some((roleId) => roleIds.includes(roleId));
}

/**
 * A link by a server's word shows no rank of its person: an import could name the group's owner. `byThemselves`: a
 * program must not learn its maker's other accounts from refusals (ID-95).
 */
async function accountsOf(
  guildId: string,
  personId: string,
  byThemselves: boolean,
): Promise<Pick<Ranker, 'gameUserId' | 'ownGameUserIds'>> {
  const [member, accounts] = await Promise.all([
    findMember(guildId, personId),
    byThemselves ? allAccounts(personId) : [],
  ]);
  const gameUserId = member?.state === 'linked' && member.word === undefined ? member.gameUserId : undefined;
  if (gameUserId === undefined) {
    const words = 'Verify your Roblox account in this server first. Nobody ranks people above their own rank.';
    throw new Forbidden('own_rank_unknown', words);
  }
  return { gameUserId, ownGameUserIds: new Set([gameUserId, ...accounts.map((account) => account.gameUserId)]) };
}

const lower = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

const notAllowed = (): Forbidden =>
  new Forbidden('ranking_not_allowed', "You aren't allowed to rank people in this group. Ask an admin of the server.");
