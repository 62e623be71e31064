import type { Guild } from '../../../core/guilds/guild-service.js';
import { clock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/time.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import { noRanks } from '../../../platforms/roblox/held-roles.js';
import { type GroupRoles, readMembershipsOfMany } from '../../../platforms/roblox/memberships.js';
import type { GameTraits } from '../../mappings/game-traits.js';
import { gameOf } from '../../members/account-settling.js';
import { keptTraitsOf } from '../../members/account-traits.js';
import type { Member } from '../../members/member-model.js';
import { type GuildRules, readWholeRules } from '../plan/guild-rules.js';
import { judge } from '../plan/judge-member.js';
import { planSync, type SyncPlan } from '../plan/plan.js';
import type { ResyncChange } from './resync-change-model.js';

/** A change that was planned longer ago is planned again when it is written (RESYNC-12). */
const trueForMs = 5 * minuteMs;

/** By what one member is planned again. The ranks are null when Roblox said nothing about their account. */
export interface StandingNow {
  rules: GuildRules;
  ranks: GroupRoles | null;
  traits: GameTraits | undefined;
  /** When the reading of the ranks began. */
  readAt: Date;
}

/** Reads again, for many changes at once, the rules and ranks of those whose plan is old. */
export class RanksNow {
  #rules: GuildRules | undefined;
  #ranks: ReadonlyMap<string, GroupRoles> = new Map();
  #traits: ReadonlyMap<string, GameTraits> = new Map();
  #asked = new Set<string | null>();
  #readAt = Number.NEGATIVE_INFINITY;
  #readSince = new Date(0);

  constructor(readonly signal: AbortSignal) {}

  /**
   * Null for a change whose plan is young enough. `ahead` are changes that come soon: they are asked about in the same
   * calls. Throws GamePlatformUnavailable, and the signal's reason.
   */
  async standingOf(guild: Guild, change: ResyncChange, ahead: readonly ResyncChange[]): Promise<StandingNow | null> {
    if (!isOld(change)) return null;
    const { gameUserId } = change.standing;
    const isRead = this.#asked.has(gameUserId) && clock.monotonicMs() - this.#readAt < trueForMs;
    const rules = isRead && this.#rules ? this.#rules : await this.#read(guild, [change, ...ahead.filter(isOld)]);
    const ranks = gameUserId === null ? noRanks : (this.#ranks.get(gameUserId) ?? null);
    return { rules, ranks, traits: this.#traits.get(change.chatUserId), readAt: this.#readSince };
  }

  async #read(guild: Guild, changes: readonly ResyncChange[]): Promise<GuildRules> {
    const readAt = clock.monotonicMs();
    const readSince = clock.now();
    const rules = await readWholeRules(guild);
    const ids = changes.map(({ standing }) => standing.gameUserId);
    const linked = ids.filter((id) => id !== null);
    this.#ranks = await readMembershipsOfMany(linked, rules.groupIds, { signal: this.signal });
    this.#traits = await traitsOfChanges(guild._id, changes, rules);
    [this.#rules, this.#asked, this.#readAt] = [rules, new Set(ids), readAt];
    this.#readSince = readSince;
    return rules;
  }
}

function isOld({ asOf }: ResyncChange): boolean {
  const ageMs = clock.epochMs() - asOf.getTime();
  // One of the future is from before the clock was set back.
  return ageMs >= trueForMs || ageMs < 0;
}

/** The traits of whom changes are about, as far as they are kept. */
export function traitsOfChanges(
  guildId: string,
  changes: readonly ResyncChange[],
  { traitsWanted }: Pick<GuildRules, 'traitsWanted'>,
): Promise<ReadonlyMap<string, GameTraits>> {
  const members = changes.map(({ chatUserId, standing }) => ({
    chatUserId,
    ...(standing.gameUserId !== null && { gameUserId: standing.gameUserId }),
  }));
  return keptTraitsOf(guildId, members, traitsWanted, { owes: false });
}

/** The plan of a member as they are now, by rules and ranks that were read again. Pure. */
export function planAgain(
  member: GuildMember,
  stored: Member | null,
  { rules, ranks, traits, facts }: Omit<StandingNow, 'readAt'> & { ranks: GroupRoles; facts: GuildFacts },
): SyncPlan {
  const game = stored?.state === 'linked' ? gameOf(stored) : null;
  return planSync(judge(rules, { member, stored, game, ranks, traits }, facts));
}

/** Whether `again` takes all that a change takes, and gives the same nickname: what is blocked by now is not taken. Pure. */
export function takesAllOf({ remove, nickname }: Pick<SyncPlan, 'remove' | 'nickname'>, again: SyncPlan): boolean {
  const due = new Set([...again.remove, ...again.blocked.map(({ roleId }) => roleId)]);
  const isNamed = nickname === undefined || nickname === again.nickname || again.nicknameBlocked !== null;
  return isNamed && remove.every((roleId) => due.has(roleId));
}
