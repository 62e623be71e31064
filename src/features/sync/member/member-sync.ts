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
import { nothingDone, notLinked, resultOf, type SyncResult } from './sync-result.js';
import { giveUpSync, postponeSync } from './sync-retries.js';
import { reportReversed } from './sync-telling.js';
import { yieldToInteractive } from './yield-to-interactive.js';

export type { SyncCause } from './member-change.js';

/**
 * Brings one member's roles and nickname in step (SYNC-35). Syncs of one member never overlap in any process. Each
 * plans from the facts at its turn, so that the last request wins. Throws NotFound `member_not_found` if the person is
 * not in the guild, Forbidden `guild_suspended`, GamePlatformUnavailable or ChatPlatformUnavailable if nothing could be
 * done safely, and Conflict `lease_lost` if this process was stopped and another may have taken over. Throws Conflict
 * `busy` during a change of the rules; then the sync is retried automatically. Throws Conflict `mass_removal` if one
 * actor has taken roles from too many people within the hour.
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
    // An error other than a refusal, ours or in stored data, may be gone at the next try.
    if (!(error instanceof AppError) || error.kind === 'unavailable') {
      await postponeSync(guildId, chatUserId, cause.trigger, { error });
      await countFact(guildId, 'syncFailed');
    }
    if (error instanceof RulesInChange || (error instanceof AppError && error.code === 'lease_lost'))
      await postponeSync(guildId, chatUserId, cause.trigger);
    throw error;
  }
}

export type LeasedCause = SyncCause & Pick<MemberChange, 'lease'>;

async function syncNow(asKnown: Guild, chatUserId: string, cause: LeasedCause): Promise<SyncResult> {
  const stored = await findMember(asKnown._id, chatUserId);
  const owed = stored?.owedSync;
  if (cause.ifPending === true && stored !== null && owed === undefined) return nothingDone;
  if (cause.ifLinked === true && stored?.state !== 'linked') return notLinked;
  const { gatewayMember, ...unknown } = cause;
  await yieldToInteractive();
  // The completion of a pending join sync has changed the member since.
  const known = owed?.trigger === 'join' ? cause : unknown;
  // After the member, so that older rules never complete their pending sync.
  const snapshot = await readRulesSnapshot(asKnown._id);
  const guild = snapshot.guild ?? asKnown;
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const reading = { fresh: true, inCrowd: gatewayMember !== undefined };
  const memberState = await readMemberStateOf(guild, stored, reading, snapshot);
  const pending = owed ?? pendingSync(cause.trigger).owedSync;
  return syncByState({ ...placeOf(guild), chatUserId, memberState, pending, isPending: owed !== undefined }, known);
}

/**
 * Makes a change that a resync has counted, under the member's lease. A failure is neither stored nor enqueued here.
 */
export function syncCounted(
  guild: Guild,
  { chatUserId, memberState, counted }: Pick<Subject, 'chatUserId' | 'memberState'> & { counted: CountedChange },
  cause: LeasedCause,
): Promise<SyncResult> {
  const { owedSync: pending = pendingSync(cause.trigger).owedSync } = memberState.stored ?? {};
  const isPending = pending.id === cause.jobId;
  return syncByState({ ...placeOf(guild), chatUserId, memberState, pending, isPending, counted }, cause);
}

const placeOf = ({ _id: guildId, name: guildName, memberCount: guildSize }: Guild) => ({
  guildId,
  guildName,
  guildSize,
});

async function syncByState(subject: Subject, cause: LeasedCause): Promise<SyncResult> {
  const { guildId, chatUserId, memberState } = subject;
  const { stored } = memberState;
  requireWhole(memberState);
  try {
    return await planAndApply(subject, cause);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  // This try reports the first one's changes.
  const begun = await findMember(guildId, chatUserId);
  const now = stored === null || begun === null ? begun : withApplying(stored, begun);
  const again = { ...subject, memberState: { ...memberState, stored: now }, isPending: true, byParts: true };
  // The limits on a guild's bulk calls must not delay this member's answer.
  const { lane } = currentLane();
  return inLane(lane === 'bulk' ? 'single' : lane, () => planAndApply(again, cause)).catch(asUnavailable);
}

function withApplying(member: Member, { applying }: Member): Member {
  return { ...member, ...(applying !== undefined && { applying }) };
}

/** Whether Discord refuses a request for good: it is forbidden, its target is gone, or its content is refused. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof DiscordForbids || error instanceof GoneFromDiscord || refusalWords(error) !== null;

/** Turns a contradiction of Discord, or a change of the guild during the sync, into an error that is retried. */
function asUnavailable(error: unknown): never {
  if (!isRefusal(error)) throw error;
  throw new ChatPlatformUnavailable(`Discord refused the change: ${error.message}`, { cause: error });
}

/** The member of a sync, their state, and their pending sync, from before or from the first write on. */
interface Subject {
  guildId: string;
  guildName: string;
  /** The number of people in the guild, as Discord last said. */
  guildSize: number;
  chatUserId: string;
  memberState: MemberState;
  pending: PendingSync;
  /** Whether the pending sync may be stored already. */
  isPending: boolean;
  /** The counted change of a resync, whose job continues without a pending sync. */
  counted?: CountedChange;
  /**
   * Discord has refused the change as a whole. It is planned from Discord's present facts, since a role may have been
   * moved or deleted, and each part is made separately.
   */
  byParts?: boolean;
}

interface Plan {
  facts: GuildFacts;
  /** The member as read, or as handed in. */
  member: GuildMember;
  memberState: MemberState;
  plan: SyncPlan;
}

async function planAndApply(subject: Subject, { lease, ...cause }: LeasedCause): Promise<SyncResult> {
  const { guildId, chatUserId, counted, byParts = false } = subject;
  const facts = await (byParts ? readGuildFactsAfresh : readGuildFacts)(guildId);
  const isAbsent = subject.memberState.stored?.present === false;
  const handedIn = isAbsent || byParts ? undefined : (counted?.seen ?? cause.gatewayMember);
  const member = handedIn ?? (await readMember(guildId, chatUserId));
  if (member === null) throw await giveUp(subject);
  if (isAbsent) await markPresent(guildId, chatUserId);
  const memberState = counted === undefined ? await confirmed(subject.memberState, member, facts) : subject.memberState;
  const planned = planMember(memberState, member, facts);
  if (memberState.settings.mode === 'observe') {
    const { pending, isPending } = subject;
    const sync = {
      guildId,
      chatUserId,
      member,
      memberState,
      plan: planned,
      lease,
      pending,
      isPending,
      trigger: cause.trigger,
    };
    return observe(sync).then(() => ({ ...nothingDone, observed: true as const }));
  }
  const plan = counted?.limit(planned, member) ?? planned;
  await requireHandWithinRemovalLimit(subject, cause, { plan, memberState });
  const { stored, game } = memberState;
  const sync = { guildId, chatUserId, gameUserId: game?.gameUserId ?? null, stored, cause, lease };
  if (plan.kick === undefined) return applyPlan(subject, sync, { facts, member, memberState, plan });
  await reportReversed(sync, member, plan);
  return kick(subject, { lease, ...cause }, { rule: plan.kick, member });
}

type Sync = Pick<MemberChange, 'guildId' | 'chatUserId' | 'gameUserId' | 'stored' | 'cause' | 'lease'>;

async function applyPlan(
  subject: Subject,
  sync: Sync,
  { facts, member, memberState, plan }: Plan,
): Promise<SyncResult> {
  const { guildId, chatUserId, stored, cause } = sync;
  const { pending, isPending, counted, byParts = false } = subject;
  const { game, doubt } = memberState;
  const change = {
    ...{ ...sync, isPending, byParts: byParts ? facts : undefined },
    // A resync completes no other pending sync: that one may be newer than its facts.
    ...((counted === undefined || pending.id === cause.jobId) && { pending }),
    ...basisOf(memberState, sync.gameUserId),
    dueFor: (now: GuildMember) => counted?.limit(planMember(memberState, now, facts), now) ?? whatIsLeft(plan, now),
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
  // A postponed sync has reported its changes, and a resync has stored the members in step.
  const isNews = counted === undefined ? doubt === undefined || pending.attempts === 0 : byParts;
  if (isNews || hasWork(made.plan)) await recordSync(change, made);
  return resultOf(memberState, made.plan);
}

/** Applies the removal limit of a resync to one actor's single syncs (SYNC-11). */
async function requireHandWithinRemovalLimit(
  { guildId, chatUserId, guildSize }: Subject,
  cause: SyncCause,
  { plan, memberState: { settings } }: Pick<Plan, 'plan' | 'memberState'>,
): Promise<void> {
  const by = handOf(cause, chatUserId);
  if (by === null || settings.mode === 'observe') return;
  if (plan.remove.length === 0 && plan.kick === undefined) return;
  await requireWithinRemovalLimit({ guildId, chatUserId, by }, guildSize, settings.massRemoval);
}

/** A member's state with Discord's present data, once Roblox has confirmed its losses. */
async function confirmed(memberState: MemberState, member: GuildMember, facts: GuildFacts): Promise<MemberState> {
  const known = await keepShownNow(memberState, member);
  return confirmAbsences(known, planMember(known, member, facts));
}

/** A member's state after their present appearance on Discord was stored. */
async function keepShownNow(memberState: MemberState, member: GuildMember): Promise<MemberState> {
  const { stored } = memberState;
  if (stored === null || shownChange(stored, member) === null) return memberState;
  const { chatUsername, names } = await keepPerson(stored, member, { isSynced: true });
  return { ...memberState, stored: { ...stored, chatUsername, names } };
}

/** The basis of this sync. If it leaves doubts, it has no facts that later ones are compared with. */
function basisOf(
  memberState: MemberState,
  gameUserId: string | null,
): Pick<MemberChange, 'wentBy' | 'roles' | 'isPutOff'> {
  const facts = new SyncFacts(memberState, memberState.readAt);
  const { roles } = facts;
  if (memberState.doubt !== undefined) return { roles, isPutOff: true };
  return { roles, wentBy: facts.wentBy({ ...memberState, gameUserId }) };
}

async function kick(
  { guildId, guildName, chatUserId, pending }: Subject,
  { lease, ...cause }: LeasedCause,
  { rule, member }: { rule: RestrictionRule; member: GuildMember },
): Promise<SyncResult> {
  const whom = { guildName, chatUsername: member.username, rule };
  await kickOut({ guildId, chatUserId, cause, lease }, whom, pending);
  return { ...nothingDone, restriction: rule, kicked: true };
}

/** Stores that the person is not in the guild, or that they were kicked; returns the error to throw. */
async function giveUp({ guildId, chatUserId, memberState, pending, counted }: Subject): Promise<NotFound> {
  const gone = new NotFound('member_not_found', "This person isn't in the server.");
  const { kicking } = memberState.stored ?? {};
  if (kicking !== undefined) {
    await endKick({ guildId, chatUserId }, kicking);
    return gone;
  }
  await markAbsent(guildId, chatUserId);
  if (counted === undefined) await giveUpSync({ guildId, chatUserId, owedSync: pending }, { error: gone });
  return gone;
}

function isRenamed(now: GameIdentity, before: Member): boolean {
  return now.gameUsername !== before.gameUsername || now.gameDisplayName !== before.gameDisplayName;
}
