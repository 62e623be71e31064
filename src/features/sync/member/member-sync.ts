import { guildSuspended } from '../../../core/access/guild-access.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { RestrictionRule } from '../../../core/settings/restrictions.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { AppError, ChatPlatformUnavailable, NotFound } from '../../../lib/errors.js';
import { traced } from '../../../lib/traced.js';
import { withLease } from '../../../platforms/database/lease.js';
import { type GuildFacts, readGuildFacts, readGuildFactsAfresh } from '../../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import { DiscordForbids, GoneFromDiscord, refusalWords } from '../../../platforms/discord/rest/discord-call.js';
import { currentLane, inLane } from '../../../platforms/discord/rest/lane.js';
import { keepGameNames } from '../../accounts/account-names.js';
import { endKick } from '../../members/member-kicks.js';
import { type GameIdentity, type Member, shownChange } from '../../members/member-model.js';
import { findMember, keepNames, keepPerson, markAbsent, markPresent } from '../../members/member-service.js';
import type { PendingSync } from '../../members/member-sync-fields.js';
import { pendingSync } from '../../members/pending-syncs.js';
import { confirmAbsences } from '../plan/group-absence.js';
import { requireWhole } from '../plan/guild-rules.js';
import { type MemberState, planMember, readMemberStateOf } from '../plan/member-state.js';
import { hasWork, isSingle, type SyncPlan, whatIsLeft } from '../plan/plan.js';
import { readRulesSnapshot } from '../plan/rules-snapshot.js';
import { SyncFacts } from '../plan/went-by.js';
import { handOf, requireWithinRemovalLimit } from './hand-removals.js';
import { type CountedChange, type MemberChange, makeChange, type SyncCause } from './member-change.js';
import { kickOut } from './member-kick.js';
import { observe } from './observed-sync.js';
import { recordSync } from './sync-record.js';
import { nothingDone, resultOf, type SyncResult } from './sync-result.js';
import { giveUpSync, postponeSync } from './sync-retries.js';
import { tellReversed } from './sync-telling.js';
import { yieldToInteractive } from './yield-to-interactive.js';

export type { SyncCause } from './member-change.js';

/**
 * Brings one member's roles and nickname in step (SYNC-35). Syncs of one member never overlap, in whatever process, and
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
    const attributes = { 'rolelink.guild': guildId, 'rolelink.trigger': cause.trigger };
    return await traced({ name: 'sync member', kind: 'internal', attributes }, () =>
      withLease(`sync:${guildId}:${chatUserId}`, (lease) => syncNow(guild, chatUserId, { ...cause, lease })),
    );
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
export type LeasedCause = SyncCause & Pick<MemberChange, 'lease'>;

async function syncNow(asKnown: Guild, chatUserId: string, cause: LeasedCause): Promise<SyncResult> {
  const stored = await findMember(asKnown._id, chatUserId);
  const owed = stored?.owedSync;
  if (cause.ifOwed === true && stored !== null && owed === undefined) return nothingDone;
  const { told: gatewayMember, ...unknown } = cause;
  await yieldToInteractive();
  // What pays the debt of joining has changed the member since.
  const known = owed?.trigger === 'join' ? cause : unknown;
  // After the member: what it owes is never paid by older rules.
  const picture = await readRulesSnapshot(asKnown._id);
  const guild = picture.guild ?? asKnown;
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const reading = { fresh: true, inCrowd: gatewayMember !== undefined };
  const standing = await readMemberStateOf(guild, stored, reading, picture);
  const debt = owed ?? pendingSync(cause.trigger).owedSync;
  return syncByStanding({ ...placeOf(guild), chatUserId, standing, debt, isOwed: owed !== undefined }, known);
}

/** The same for a change that a resync has counted, under the member's lease. What fails is neither noted nor owed here. */
export function syncCounted(
  guild: Guild,
  { chatUserId, standing, counted }: Pick<Subject, 'chatUserId' | 'standing'> & { counted: CountedChange },
  cause: LeasedCause,
): Promise<SyncResult> {
  const { owedSync: debt = pendingSync(cause.trigger).owedSync } = standing.stored ?? {};
  const isPending = debt.id === cause.jobId;
  return syncByStanding({ ...placeOf(guild), chatUserId, standing, debt, isOwed: isPending, counted }, cause);
}

const placeOf = ({ _id: guildId, name: guildName, memberCount: guildSize }: Guild) => ({
  guildId,
  guildName,
  guildSize,
});

async function syncByStanding(subject: Subject, cause: LeasedCause): Promise<SyncResult> {
  const { guildId, chatUserId, standing } = subject;
  const { stored } = standing;
  requireWhole(standing);
  try {
    return await planAndApply(subject, cause);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // What the first try has begun is told of by this one.
  const begun = await findMember(guildId, chatUserId);
  const now = stored === null || begun === null ? begun : withApplying(stored, begun);
  const again = { ...subject, standing: { ...standing, stored: now }, isOwed: true, byParts: true };
  // What is held back of a guild's bulk must not keep this member from an answer.
  const { lane } = currentLane();
  return inLane(lane === 'bulk' ? 'single' : lane, () => planAndApply(again, cause)).catch(asUnavailable);
}

function withApplying(member: Member, { applying }: Member): Member {
  return { ...member, ...(applying !== undefined && { applying }) };
}

/** Whether Discord says that what was asked for can't be done, be it forbidden, gone, or nothing that it takes. */
const isRefusal = (error: unknown): error is Error =>
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
  standing: MemberState;
  debt: PendingSync;
  /** Whether it may be stored by now. */
  isOwed: boolean;
  /** A resync makes it, whose job goes on by itself: nothing more is owed from here. */
  counted?: CountedChange;
  /**
   * Discord has refused the whole. It is planned from what Discord itself says now, as a role may have been moved or
   * deleted, and each part is made by itself.
   */
  byParts?: boolean;
}

/** What a sync is made from. */
interface Plan {
  facts: GuildFacts;
  /** As read, or handed in. */
  member: GuildMember;
  standing: MemberState;
  plan: SyncPlan;
}

async function planAndApply(subject: Subject, { lease, ...cause }: LeasedCause): Promise<SyncResult> {
  const { guildId, chatUserId, counted, byParts = false } = subject;
  const facts = await (byParts ? readGuildFactsAfresh : readGuildFacts)(guildId);
  const isAbsent = subject.standing.stored?.present === false;
  const handedIn = isAbsent || byParts ? undefined : (counted?.seen ?? cause.told);
  const member = handedIn ?? (await readMember(guildId, chatUserId));
  if (member === null) throw await giveUp(subject);
  if (isAbsent) await markPresent(guildId, chatUserId);
  const standing = counted === undefined ? await confirmed(subject.standing, member, facts) : subject.standing;
  const planned = planMember(standing, member, facts);
  if (standing.settings.mode === 'observe') {
    const { debt, isOwed: isPending } = subject;
    const sync = {
      guildId,
      chatUserId,
      member,
      standing,
      plan: planned,
      lease,
      debt,
      isOwed: isPending,
      trigger: cause.trigger,
    };
    return observe(sync).then(() => ({ ...nothingDone, observed: true as const }));
  }
  const plan = counted?.limit(planned, member) ?? planned;
  await requireHandWithinRemovalLimit(subject, cause, { plan, standing });
  const { stored, game } = standing;
  const sync = { guildId, chatUserId, gameUserId: game?.gameUserId ?? null, stored, cause, lease };
  if (plan.kick === undefined) return applyPlan(subject, sync, { facts, member, standing, plan });
  await tellReversed(sync, member, plan);
  return kick(subject, { lease, ...cause }, { rule: plan.kick, member });
}

type Sync = Pick<MemberChange, 'guildId' | 'chatUserId' | 'gameUserId' | 'stored' | 'cause' | 'lease'>;

async function applyPlan(subject: Subject, sync: Sync, { facts, member, standing, plan }: Plan): Promise<SyncResult> {
  const { guildId, chatUserId, stored, cause } = sync;
  const { debt, isOwed: isPending, counted, byParts = false } = subject;
  const { game, doubt } = standing;
  const change = {
    ...{ ...sync, isOwed: isPending, byParts: byParts ? facts : undefined },
    // Of others' debts a resync pays none: they may have come to be later than what it goes by.
    ...((counted === undefined || debt.id === cause.jobId) && { debt }),
    ...basisOf(standing, sync.gameUserId),
    dueFor: (now: GuildMember) => counted?.limit(planMember(standing, now, facts), now) ?? whatIsLeft(plan, now),
  };
  const mustRead = member === counted?.seen && counted.mustRead && isSingle(plan);
  const now = mustRead ? await readMember(guildId, chatUserId) : member;
  await yieldToInteractive();
  const made = now && (await makeChange(change, now));
  if (made === null) throw await giveUp(subject);
  if (game !== null && stored !== null && isRenamed(game, stored))
    await Promise.all([keepGameNames(game, guildId), keepNames(stored, game)]);
  await yieldToInteractive();
  if (doubt !== undefined) await postponeSync(guildId, chatUserId, cause.trigger);
  // A sync that was put off before has told what it did, and a resync has noted who is in step.
  const isNews = counted === undefined ? doubt === undefined || debt.attempts === 0 : byParts;
  if (isNews || hasWork(made.plan)) await recordSync(change, made);
  return resultOf(standing, made.plan);
}

/** What one hand takes by single syncs stops where a resync would (SYNC-11). */
async function requireHandWithinRemovalLimit(
  { guildId, chatUserId, guildSize }: Subject,
  cause: SyncCause,
  { plan, standing: { settings } }: Pick<Plan, 'plan' | 'standing'>,
): Promise<void> {
  const by = handOf(cause, chatUserId);
  if (by === null || settings.mode === 'observe') return;
  if (plan.remove.length === 0 && plan.kick === undefined) return;
  await requireWithinRemovalLimit({ guildId, chatUserId, by }, guildSize, settings.massRemoval);
}

/** The standing of somebody as Discord shows them by now, once Roblox has confirmed what it takes from them. */
async function confirmed(standing: MemberState, member: GuildMember, facts: GuildFacts): Promise<MemberState> {
  const known = await keepShownNow(standing, member);
  return confirmAbsences(known, planMember(known, member, facts));
}

/** The standing of somebody once it is kept how Discord shows them by now. */
async function keepShownNow(standing: MemberState, member: GuildMember): Promise<MemberState> {
  const { stored } = standing;
  if (stored === null || shownChange(stored, member) === null) return standing;
  const { chatUsername, names } = await keepPerson(stored, member, { isSynced: true });
  return { ...standing, stored: { ...stored, chatUsername, names } };
}

/** What a sync from here goes by; where it leaves doubts, nothing that later facts are compared with. */
function basisOf(
  standing: MemberState,
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
async function giveUp({ guildId, chatUserId, standing, debt, counted }: Subject): Promise<NotFound> {
  const gone = new NotFound('member_not_found', "This person isn't in the server.");
  const { kicking } = standing.stored ?? {};
  if (kicking !== undefined) {
    await endKick({ guildId, chatUserId }, kicking);
    return gone;
  }
  await markAbsent(guildId, chatUserId);
  if (counted === undefined) await giveUpSync({ guildId, chatUserId, owedSync: debt }, { error: gone });
  return gone;
}

function isRenamed(now: GameIdentity, before: Member): boolean {
  return now.gameUsername !== before.gameUsername || now.gameDisplayName !== before.gameDisplayName;
}
