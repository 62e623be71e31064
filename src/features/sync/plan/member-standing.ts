import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { readGameUser } from '../../../platforms/roblox/game-users.js';
import { type GroupRoles, readMemberships } from '../../../platforms/roblox/memberships.js';
import { gameOf } from '../../members/account-settling.js';
import { type GameIdentity, type Member, Members } from '../../members/member-model.js';
import { type GuildRules, judge, readRules } from './guild-rules.js';
import { planSync, type SyncPlan } from './plan.js';

/** Where a member stands by the rules of their guild: all that a plan is made from but Discord's side of it. */
export interface MemberStanding extends GuildRules {
  stored: Member | null;
  /** The linked game account with its names of now; null when there is none. */
  game: GameIdentity | null;
  ranks: GroupRoles;
}

const noRanks: GroupRoles = new Map();

/**
 * Reads where a member stands. `fresh` reads Roblox past the cache. Throws GamePlatformUnavailable when Roblox does not
 * answer completely: then nothing may be planned at all (SPEC §6.2).
 */
export async function readStanding(
  guild: Pick<Guild, '_id' | 'plan'>,
  chatUserId: string,
  { fresh }: { fresh: boolean },
): Promise<MemberStanding> {
  const [stored, rules] = await Promise.all([Members.findOne({ guildId: guild._id, chatUserId }), readRules(guild)]);
  const linked = stored === null || stored.state !== 'linked' ? null : gameOf(stored);
  if (linked === null) return { ...rules, stored, game: null, ranks: noRanks };
  const [game, ranks] = await Promise.all([
    rules.settings.nickname.enabled ? currentNames(linked, fresh) : linked,
    rules.groupIds.length === 0 ? noRanks : readMemberships(linked.gameUserId, rules.groupIds, { fresh }),
  ]);
  return { ...rules, stored, game, ranks };
}

/** Plans the sync of `member`, as Discord says they are now, from where they stand. */
export function planMember(standing: MemberStanding, member: GuildMember, facts: GuildFacts): SyncPlan {
  const { stored, game, ranks } = standing;
  return planSync(judge(standing, { member, stored, game, ranks }, facts));
}

async function currentNames(linked: GameIdentity, fresh: boolean): Promise<GameIdentity> {
  return (await readGameUser(linked.gameUserId, { fresh })) ?? linked;
}
