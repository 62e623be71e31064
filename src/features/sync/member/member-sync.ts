import { guildSuspended, requireStillActive } from '../../../core/access/guild-access.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { AppError, ChatPlatformUnavailable, NotFound } from '../../../lib/errors.js';
import { withLease } from '../../../platforms/database/lease.js';
import { DiscordForbids, GoneFromDiscord } from '../../../platforms/discord/discord-call.js';
import { readGuildFacts, readGuildFactsAfresh } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import { keepGameNames } from '../../members/account-names.js';
import { endKick } from '../../members/member-kicks.js';
import type { GameIdentity, Member, OwedSync } from '../../members/member-model.js';
import { findMember, keepNames, markAbsent, markPresent } from '../../members/member-service.js';
import { owedSync } from '../../members/owed-syncs.js';
import { confirmAbsences } from '../plan/group-absence.js';
import { requireWhole, restrictionOf } from '../plan/guild-rules.js';
import { type MemberStanding, planMember, readStandingOf } from '../plan/member-standing.js';
import { type SyncPlan, whatIsLeft } from '../plan/plan.js';
import { type MemberChange, makeChange, type SyncCause } from './member-change.js';
import { kickOut } from './member-kick.js';
import { stepAside } from './step-aside.js';
import { giveUpSync, postponeSync } from './sync-debts.js';
import { recordSync } from './sync-record.js';

/** What a sync did (SPEC §4). `nickname` is the new one, null when it was taken away, undefined when untouched. */
export interface SyncResult {
  added: string[];
  removed: string[];
  nickname: string | null | undefined;
  blocked: SyncPlan['blocked'];
  nicknameBlocked: SyncPlan['nicknameBlocked'];
  /** Mappings go by items, and Roblox shows the person's to nobody. */
  inventoryPrivate: boolean;
  /** What restricts them here: they get no roles, or were kicked. */
  restriction: RestrictionRule | null;
  kicked: boolean;
}

export type { SyncCause } from './member-change.js';

/**
 * Brings one member's roles and nickname in step (SPEC §6). Syncs of one member never overlap, in whatever process, and
 * each plans from what is true when its turn comes, so that the last wish wins.
 * Throws NotFound `member_not_found` when the person is not in the guild, Forbidden `guild_suspended`, and
 * GamePlatformUnavailable or ChatPlatformUnavailable when nothing could be done safely, and Conflict `lease_lost` when
 * this process was stopped and another may be at it, and `busy` while the rules are being changed: then it is tried again by itself.
 */
export async function syncMember(guild: Guild, chatUserId: string, cause: SyncCause): Promise<SyncResult> {
  const guildId = guild._id;
  if (guild.state === 'suspended') throw guildSuspended(guild);
  try {
    return await withLease(`sync:${guildId}:${chatUserId}`, async (lease) => {
      const guildNow = await requireStillActive(guildId);
      return syncNow(guildNow ?? guild, chatUserId, { ...cause, lease });
    });
  } catch (error) {
    // What is no refusal but a fault, of ours or in what was stored, may be mended until the next try.
    if (!(error instanceof AppError) || error.kind === 'unavailable') {
      await postponeSync(guildId, chatUserId, cause.trigger, { error });
      await countFact(guildId, 'syncFailed');
    }
    if (error instanceof RulesInChange || (error instanceof AppError && error.code === 'lease_lost'))
      await postponeSync(guildId, chatUserId, cause.trigger);
    throw error;
  }
}

/** Why a sync runs, and the lease under which it does. */
type LeasedCause = SyncCause & Pick<MemberChange, 'lease'>;

const nothingDone: SyncResult = {
  added: [],
  removed: [],
  nickname: undefined,
  blocked: [],
  nicknameBlocked: null,
  inventoryPrivate: false,
  restriction: null,
  kicked: false,
};

async function syncNow(guild: Guild, chatUserId: string, cause: LeasedCause): Promise<SyncResult> {
  const stored = await findMember(guild._id, chatUserId);
  const owed = stored?.owedSync;
  if (cause.ifOwed === true && stored !== null && owed === undefined) return nothingDone;
  const { told, ...unknown } = cause;
  await stepAside();
  // What pays the debt of joining has changed the member since.
  const known = owed?.trigger === 'join' ? cause : unknown;
  const standing = await readStandingOf(guild, stored, { fresh: true, inCrowd: told !== undefined });
  requireWhole(standing);
  const debt = owed ?? owedSync(cause.trigger).owedSync;
  const member = { guildId: guild._id, guildName: guild.name, chatUserId, standing, debt };
  try {
    return await planAndApply({ ...member, isOwed: owed !== undefined }, readGuildFacts, known);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // A role was moved or deleted meanwhile: plan once more from what Discord itself says now.
  return planAndApply({ ...member, isOwed: true }, readGuildFactsAfresh, unknown).catch(asUnavailable);
}

const isRefusal = (error: unknown): error is DiscordForbids | GoneFromDiscord =>
  error instanceof DiscordForbids || error instanceof GoneFromDiscord;

/** Discord contradicts itself or the guild changes under us: nothing is certain, so it is tried again later. */
function asUnavailable(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw new ChatPlatformUnavailable(`Discord refused the change: ${error.message}`, { cause: error });
}

/** Whom a sync is about, how they stand, and what they were owed before, or are from when it begins to write. */
interface Subject {
  guildId: string;
  guildName: string;
  chatUserId: string;
  standing: MemberStanding;
  debt: OwedSync;
  /** Whether it may be stored by now. */
  isOwed: boolean;
}

async function planAndApply(
  subject: Subject,
  readFacts: typeof readGuildFacts,
  { lease, ...cause }: LeasedCause,
): Promise<SyncResult> {
  const { guildId, chatUserId, debt, isOwed } = subject;
  const facts = await readFacts(guildId);
  const isAbsent = subject.standing.stored?.present === false;
  const member = (isAbsent ? undefined : cause.told) ?? (await readMember(guildId, chatUserId));
  if (member === null) throw await giveUp(subject);
  if (isAbsent) await markPresent(guildId, chatUserId);
  const standing = await confirmAbsences(subject.standing, planMember(subject.standing, member, facts));
  const { stored, game } = standing;
  const plan = planMember(standing, member, facts);
  if (plan.kick !== undefined) return kick(subject, { lease, ...cause }, { rule: plan.kick, member });
  const dueFor = (now: GuildMember) => whatIsLeft(plan, now);
  const gameUserId = game?.gameUserId ?? null;
  const change = { guildId, chatUserId, stored, gameUserId, cause, lease, debt, isOwed, dueFor };
  await stepAside();
  const made = await makeChange(change, member);
  if (made === null) throw await giveUp(subject);
  if (game !== null && stored !== null && isRenamed(game, stored))
    await Promise.all([keepGameNames(game, guildId), keepNames(stored, game)]);
  await stepAside();
  await recordSync(change, made);
  const { add, remove, nickname, blocked, nicknameBlocked } = made.plan;
  const restriction = restrictionOf(standing, standing);
  return {
    ...{ added: add, removed: remove, nickname, blocked, nicknameBlocked, kicked: false },
    inventoryPrivate: standing.traits.isPrivate,
    restriction: restriction === 'unknown' ? null : restriction,
  };
}

async function kick(
  { guildId, guildName, chatUserId, debt }: Subject,
  { lease, ...cause }: LeasedCause,
  { rule, member }: { rule: RestrictionRule; member: GuildMember },
): Promise<SyncResult> {
  const whom = { guildName, chatUsername: member.username, rule };
  await kickOut({ guildId, chatUserId, cause, lease }, whom, debt);
  return { ...nothingDone, restriction: rule, kicked: true };
}

/** The person is not in the guild: notes so, or that they were kicked, and gives what to throw. */
async function giveUp({ guildId, chatUserId, standing, debt }: Subject): Promise<NotFound> {
  const gone = new NotFound('member_not_found', 'This person is not in the server.');
  const { kicking } = standing.stored ?? {};
  if (kicking !== undefined) {
    await endKick({ guildId, chatUserId }, kicking);
    return gone;
  }
  await markAbsent(guildId, chatUserId);
  await giveUpSync({ guildId, chatUserId, owedSync: debt }, { error: gone });
  return gone;
}

function isRenamed(now: GameIdentity, before: Member): boolean {
  return now.gameUsername !== before.gameUsername || now.gameDisplayName !== before.gameDisplayName;
}
