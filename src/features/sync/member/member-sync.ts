import { guildSuspended, requireStillActive } from '../../../core/access/guild-access.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { AppError, ChatPlatformUnavailable, NotFound } from '../../../lib/errors.js';
import { withLease } from '../../../platforms/database/lease.js';
import { DiscordForbids, GoneFromDiscord, refusalWords } from '../../../platforms/discord/discord-call.js';
import { readGuildFacts, readGuildFactsAfresh } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import { keepGameNames } from '../../members/account-names.js';
import { endKick } from '../../members/member-kicks.js';
import { type GameIdentity, type Member, shownChange } from '../../members/member-model.js';
import { findMember, keepNames, keepPerson, markAbsent, markPresent } from '../../members/member-service.js';
import type { OwedSync, SyncRecord } from '../../members/member-sync-fields.js';
import { owedSync } from '../../members/owed-syncs.js';
import { confirmAbsences } from '../plan/group-absence.js';
import { requireWhole } from '../plan/guild-rules.js';
import { restrictionOf } from '../plan/judge-member.js';
import { type MemberStanding, planMember, readStandingOf } from '../plan/member-standing.js';
import { hasWork, refusedNicknameOf, type SyncPlan, whatIsLeft } from '../plan/plan.js';
import { SyncFacts } from '../plan/went-by.js';
import { handOf, requireWithinBrake } from './hand-removals.js';
import { type MemberChange, makeChange, type SyncCause } from './member-change.js';
import { kickOut } from './member-kick.js';
import { observe } from './observed-sync.js';
import { stepAside } from './step-aside.js';
import { giveUpSync, postponeSync } from './sync-debts.js';
import { recordSync } from './sync-record.js';
import { tellReversed } from './sync-telling.js';

/** What a sync did (SPEC §4). `nickname` is the new one, null when it was taken away, undefined when untouched. */
export interface SyncResult {
  added: string[];
  removed: string[];
  nickname: string | null | undefined;
  blocked: SyncPlan['blocked'];
  nicknameBlocked: SyncPlan['nicknameBlocked'];
  /** The nickname that Discord has refused, and what it says. */
  nicknameRefused: SyncRecord['nicknameRefused'];
  /** Mappings go by items, and Roblox shows the person's to nobody. */
  inventoryPrivate: boolean;
  /** They get roles once they have accepted the rules of the guild. */
  waitsForRules: boolean;
  /** What restricts them here: they get no roles, or were kicked. */
  restriction: RestrictionRule | null;
  kicked: boolean;
  /** The guild only observes: nothing was changed, whatever is due. */
  observed?: true;
}

export type { SyncCause } from './member-change.js';

/**
 * Brings one member's roles and nickname in step (SPEC §6). Syncs of one member never overlap, in whatever process, and
 * each plans from what is true when its turn comes, so that the last wish wins.
 * Throws NotFound `member_not_found` when the person is not in the guild, Forbidden `guild_suspended`, and
 * GamePlatformUnavailable or ChatPlatformUnavailable when nothing could be done safely, and Conflict `lease_lost` when
 * this process was stopped and another may be at it, and `busy` while the rules are being changed: then it is tried again by
 * itself. Throws Conflict `mass_removal` when one hand has taken roles from too many within the hour.
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
  nicknameRefused: undefined,
  inventoryPrivate: false,
  waitsForRules: false,
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
  const place = { guildId: guild._id, guildName: guild.name, guildSize: guild.memberCount };
  const member = { ...place, chatUserId, standing, debt };
  const isOwed = owed !== undefined;
  if (cause.isRefused === true) return planByParts({ ...member, isOwed }, unknown);
  try {
    return await planAndApply({ ...member, isOwed }, readGuildFacts, known);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // What the first try has begun is told of by this one.
  const begun = await findMember(guild._id, chatUserId);
  const now = stored === null || begun === null ? begun : withApplying(stored, begun);
  return planByParts({ ...member, standing: { ...standing, stored: now }, isOwed: true }, unknown);
}

/** Plans from what Discord itself says now, as a role may have been moved or deleted, and makes each part by itself. */
function planByParts(subject: Subject, cause: LeasedCause): Promise<SyncResult> {
  return planAndApply(subject, readGuildFactsAfresh, { ...cause, isRefused: true }).catch(asUnavailable);
}

function withApplying(member: Member, { applying }: Member): Member {
  return { ...member, ...(applying !== undefined && { applying }) };
}

/** Whether Discord says that what was asked for can't be done, be it forbidden, gone, or nothing that it takes. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof DiscordForbids || error instanceof GoneFromDiscord || refusalWords(error) !== null;

/** Discord contradicts itself or the guild changes under us: nothing is certain, so it is tried again later. */
function asUnavailable(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw new ChatPlatformUnavailable(`Discord refused the change: ${error.message}`, { cause: error });
}

/** Whom a sync is about, how they stand, and what they were owed before, or are from when it begins to write. */
interface Subject {
  guildId: string;
  guildName: string;
  /** How many people are in it, as Discord said last. */
  guildSize: number;
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
  const known = await keepShownNow(subject.standing, member);
  const standing = await confirmAbsences(known, planMember(known, member, facts));
  const { stored, game, doubt } = standing;
  const plan = planMember(standing, member, facts);
  await requireHandWithinBrake(subject, cause, { plan, standing });
  const gameUserId = game?.gameUserId ?? null;
  if (standing.settings.mode === 'observe') {
    await observe({ guildId, chatUserId, member, standing, plan, lease, debt, isOwed, trigger: cause.trigger });
    return { ...nothingDone, observed: true };
  }
  if (plan.kick !== undefined) {
    await tellReversed({ guildId, chatUserId, gameUserId, stored, cause, lease }, member, plan);
    return kick(subject, { lease, ...cause }, { rule: plan.kick, member });
  }
  const dueFor = (now: GuildMember) => whatIsLeft(plan, now);
  const byParts = cause.isRefused === true ? facts : undefined;
  const change = {
    ...{ guildId, chatUserId, stored, gameUserId, cause, lease, debt, isOwed, byParts, dueFor },
    ...basisOf(standing, gameUserId),
  };
  await stepAside();
  const made = await makeChange(change, member);
  if (made === null) throw await giveUp(subject);
  if (game !== null && stored !== null && isRenamed(game, stored))
    await Promise.all([keepGameNames(game, guildId), keepNames(stored, game)]);
  await stepAside();
  if (doubt !== undefined) await postponeSync(guildId, chatUserId, cause.trigger);
  // A sync that was put off before has told what it did.
  if (doubt === undefined || debt.attempts === 0 || hasWork(made.plan)) await recordSync(change, made);
  const { add, remove, nickname, blocked, nicknameBlocked } = made.plan;
  const restriction = restrictionOf(standing, standing);
  return {
    ...{ added: add, removed: remove, nickname, blocked, nicknameBlocked, kicked: false },
    nicknameRefused: refusedNicknameOf(made.plan),
    inventoryPrivate: standing.traits.isPrivate,
    waitsForRules: made.plan.waitsForRules === true,
    restriction: restriction === 'unknown' || made.plan.sparedFrom !== undefined ? null : restriction,
  };
}

/** What one hand takes by single syncs stops where a resync would (SPEC §6.2). */
async function requireHandWithinBrake(
  { guildId, chatUserId, guildSize }: Subject,
  cause: SyncCause,
  { plan, standing: { settings } }: { plan: SyncPlan; standing: MemberStanding },
): Promise<void> {
  const by = handOf(cause, chatUserId);
  if (by === null || settings.mode === 'observe') return;
  if (plan.remove.length === 0 && plan.kick === undefined) return;
  await requireWithinBrake({ guildId, chatUserId, by }, guildSize, settings.massRemoval);
}

/** The standing of somebody once it is kept how Discord shows them by now. */
async function keepShownNow(standing: MemberStanding, member: GuildMember): Promise<MemberStanding> {
  const { stored } = standing;
  if (stored === null || shownChange(stored, member) === null) return standing;
  const { chatUsername, names } = await keepPerson(stored, member, { isSynced: true });
  return { ...standing, stored: { ...stored, chatUsername, names } };
}

/** What a sync from here goes by; where it leaves doubts, nothing that later facts are compared with. */
function basisOf(
  standing: MemberStanding,
  gameUserId: string | null,
): Pick<MemberChange, 'wentBy' | 'roles' | 'isPutOff'> {
  const facts = new SyncFacts(standing, standing.readAt);
  const { roles } = facts;
  if (standing.doubt !== undefined) return { roles, isPutOff: true };
  return { roles, wentBy: facts.wentBy({ ...standing, gameUserId }) };
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
