import { guildSuspended } from '../../../core/access/guild-access.js';
import { countFact } from '../../../core/counters/daily-counters.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { RulesInChange } from '../../../core/settings/whole-changes.js';
import { clock } from '../../../lib/clock.js';
import { AppError } from '../../../lib/errors.js';
import { minuteMs } from '../../../lib/time.js';
import { traced } from '../../../lib/traced.js';
import { type Lease, withLease } from '../../../platforms/database/lease.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { roomForChange } from '../../../platforms/discord/member-writes.js';
import { keepGameNames } from '../../accounts/account-names.js';
import { endKick } from '../../members/member-kicks.js';
import { type GameIdentity, type Member, shownChange } from '../../members/member-model.js';
import { findMember, keepNames, keepPerson, markAbsent } from '../../members/member-service.js';
import type { PendingSync } from '../../members/member-sync-fields.js';
import { pendingSync } from '../../members/pending-syncs.js';
import { confirmAbsences } from '../plan/group-absence.js';
import { mostLosing, requireWhole } from '../plan/guild-rules.js';
import { type MemberState, planMember, readMemberStateOf } from '../plan/member-state.js';
import { hasWork, type SyncPlan } from '../plan/plan.js';
import { kindOf } from '../plan/planned-changes.js';
import { readRulesSnapshot } from '../plan/rules-snapshot.js';
import type { SeenMember } from '../plan/seen-member.js';
import { SyncFacts } from '../plan/went-by.js';
import { byPartsIfRefused, carryOut, givingWay, type LeasedSync, readChatSide, type Try } from './carry-out.js';
import { dueFor, type Reversal, type Within } from './due-change.js';
import type { MemberChange, SyncCause } from './member-change.js';
import { kickOut } from './member-kick.js';
import { observe } from './observed-sync.js';
import { syncWithin, takeBack } from './planned-sync.js';
import { limitOf, withinRemovalLimit } from './removal-limit.js';
import { recordSync } from './sync-record.js';
import { nothingMade, notLinked, notThere, outcomeOf, type SyncOutcome, stateOf } from './sync-result.js';
import { giveUpSync, postponeSync } from './sync-retries.js';
import { reportReversed, tellOfLeaver } from './sync-telling.js';
import { type Gate, PlanOutdated } from './write-gate.js';
import { yieldToInteractive } from './yield-to-interactive.js';

export type { SyncCause } from './member-change.js';

/**
 * The only writer to members: brings a member's roles and nickname in step (SYNC-35), or makes what a stored plan
 * expects for them, and answers what was made. One member's syncs never overlap in any process. Each plans from the
 * facts at its turn, so that the last request wins. Throws Forbidden `guild_suspended`, GamePlatformUnavailable or
 * ChatPlatformUnavailable if nothing could be done safely, and Conflict `lease_lost` if this process was stopped and
 * another may have taken over. Throws Conflict `busy` during a rule change. A sync that a plan asks for is the plan's
 * to retry; any other is retried automatically.
 */
export async function syncMember(
  guild: Guild,
  chatUserId: string,
  cause: SyncCause,
  within?: Within | Reversal,
): Promise<SyncOutcome> {
  const guildId = guild._id;
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const attributes = { 'rolelink.guild': guildId, 'rolelink.trigger': cause.trigger };
  const underLease = (work: (lease: Lease) => Promise<SyncOutcome>, options = {}) =>
    traced({ name: 'sync member', kind: 'internal', attributes }, () =>
      withLease(`sync:${guildId}:${chatUserId}`, work, options),
    );
  if (within === undefined)
    return retried(guildId, chatUserId, cause, () => underLease(ownSyncs(guild, chatUserId, cause)));
  const sync = { guildId, chatUserId, cause };
  if ('reverses' in within) return underLease((lease) => takeBack({ ...sync, lease }, within), byPlan);
  await roomForChange(guildId, kindOf({ nickname: undefined, ...within.expected }));
  return underLease((lease) => givingWay(() => syncWithin({ ...sync, lease }, within)), byPlan);
}

/** A member that another sync holds is left for later rather than waited for. */
const byPlan = { waitMs: 1_000, holdMs: 10_000 };

async function retried(
  guildId: string,
  chatUserId: string,
  { trigger }: SyncCause,
  work: () => Promise<SyncOutcome>,
): Promise<SyncOutcome> {
  try {
    return await work();
  } catch (error) {
    // An error other than a refusal, ours or in stored data, may be gone at the next try.
    if (!(error instanceof AppError) || error.kind === 'unavailable') {
      await postponeSync(guildId, chatUserId, trigger, { error });
      await countFact(guildId, 'syncFailed');
    }
    if (error instanceof RulesInChange || (error instanceof AppError && error.code === 'lease_lost'))
      await postponeSync(guildId, chatUserId, trigger);
    throw error;
  }
}

/** The rules may change this often while one sync waits; then it is tried again later. */
const mostPlans = 3;

/** Plans and makes one member's sync again, as long as the rules change while it waits. */
const ownSyncs = (guild: Guild, chatUserId: string, cause: SyncCause) => async (lease: Lease) => {
  for (let n = 1; n <= mostPlans; n += 1) {
    try {
      return await syncNow(guild, { guildId: guild._id, chatUserId, cause, lease });
    } catch (error) {
      if (!(error instanceof PlanOutdated)) throw error;
    }
  }
  throw new RulesInChange();
};

/** One member's sync by their own facts. */
interface OwnSync extends LeasedSync {
  guild: Guild;
  pending: PendingSync;
  /** Whether the pending sync may be stored already. */
  isPending: boolean;
  rulesReadAt: number;
}

async function syncNow(asKnown: Guild, sync: LeasedSync): Promise<SyncOutcome> {
  const { guildId, chatUserId, cause } = sync;
  const stored = await findMember(guildId, chatUserId);
  const owed = stored?.owedSync;
  if (cause.ifPending === true && stored !== null && owed === undefined) return nothingMade('done');
  if (cause.ifLinked === true && stored?.state !== 'linked') return notLinked;
  const { gatewayMember, ...unknown } = cause;
  await yieldToInteractive();
  const rulesReadAt = clock.monotonicMs();
  // After the member, so that older rules never complete their pending sync.
  const snapshot = await readRulesSnapshot(guildId);
  const guild = snapshot.guild ?? asKnown;
  if (guild.state === 'suspended') throw guildSuspended(guild);
  const reading = { fresh: true, inCrowd: gatewayMember !== undefined, known: cause.ranksRead };
  const memberState = await readMemberStateOf(guild, stored, reading, snapshot);
  requireWhole(memberState);
  const pending = owed ?? pendingSync(cause.trigger).owedSync;
  // A completed sync has changed the member since: this process's, or another's that heard the join too.
  const known = owed?.trigger === 'join' && !isSyncedSinceJoin(stored) ? cause : unknown;
  const own = { ...sync, cause: known, guild, pending, rulesReadAt };
  return byPartsIfRefused(sync, stored, (once) =>
    planAndApply(
      { ...own, isPending: owed !== undefined || once.byParts },
      { ...memberState, stored: once.stored, byPerson: cause.actor.kind === 'user' },
      once,
    ),
  );
}

/** Machines' clocks differ by less. A person who returns within it costs one call. */
const clocksDifferMs = minuteMs;

/** Whether a sync may have changed the member after the join that this process has heard. Pure. */
function isSyncedSinceJoin(stored: Member | null): boolean {
  const last = stored?.syncs.at(-1);
  return last !== undefined && last.at.getTime() > (stored?.presenceAt?.getTime() ?? 0) - clocksDifferMs;
}

async function planAndApply(sync: OwnSync, asRead: MemberState, once: Try): Promise<SyncOutcome> {
  const side = await readChatSide(sync, once, sync.cause.gatewayMember);
  if (side === null) return giveUp(sync, asRead.stored);
  const { facts, member } = side;
  const memberState = await confirmed(asRead, member, facts);
  const planned = planMember(memberState, member, facts);
  const isObserved = memberState.settings.mode === 'observe';
  const plan = isObserved ? erasureOf(memberState, planned) : await limited(sync, memberState, planned);
  const change = changeOf(sync, memberState, { plan, byParts: once.byParts ? facts : undefined });
  if (isObserved) return observed(sync, memberState, change, { member, plan: planned });
  if (plan.kick !== undefined) return kick(sync, change, { member, plan });
  return apply(sync, memberState, change, member);
}

/**
 * Ends a sync in a guild in observe mode. An interrupted sync's remains are reported first, and our nickname
 * is taken back from a person who is being erased (OBS-53).
 */
async function observed(
  sync: OwnSync,
  memberState: MemberState,
  change: MemberChange,
  { member, plan }: { member: SeenMember; plan: SyncPlan },
): Promise<SyncOutcome> {
  const { guildId, chatUserId, lease, pending, isPending, cause } = sync;
  const isWritten = hasWork(dueFor(change.due, member));
  const made = isWritten || memberState.stored?.applying !== undefined ? await carryOut(change, member) : undefined;
  if (made === null) return giveUp(sync, memberState.stored);
  if (made !== undefined && hasWork(made.plan)) await recordSync({ ...change, isPutOff: true }, made);
  const rest = isWritten ? { ...plan, nickname: undefined } : plan;
  const { trigger } = cause;
  await observe({ guildId, chatUserId, member, memberState, plan: rest, lease, pending, isPending, trigger });
  return { ...nothingMade('done'), observed: true };
}

/** The plan part that an erasure makes in any mode: ending a nickname that is ours. Pure. */
function erasureOf({ stored }: MemberState, plan: SyncPlan): SyncPlan {
  const { kick: _, ...rest } = plan;
  const isErased = stored?.erasing === true && plan.nickname === null;
  return { ...rest, add: [], remove: [], blocked: [], nickname: isErased ? null : undefined };
}

/** The change that a member's own sync makes. */
function changeOf(
  sync: OwnSync,
  memberState: MemberState,
  { plan, byParts }: { plan: SyncPlan; byParts: GuildFacts | undefined },
): MemberChange {
  const { guildId, chatUserId, cause, lease, pending, isPending, rulesReadAt } = sync;
  const { stored, game, doubt } = memberState;
  const gameUserId = game?.gameUserId ?? null;
  const facts = new SyncFacts(memberState, memberState.readAt);
  // A sync that leaves doubts has no facts that later ones are compared with.
  const basis = doubt === undefined ? { wentBy: facts.wentBy({ ...memberState, gameUserId }) } : { isPutOff: true };
  const mostRemovals = limitOn(sync, memberState);
  const gate: Gate = { rulesKey: facts.rulesKey, readAt: rulesReadAt, mostRemovals };
  return {
    ...{ guildId, chatUserId, stored, gameUserId, cause, lease, pending, isPending, byParts, gate },
    ...{ roles: facts.roles, ...basis },
    due: { by: 'plan', plan },
  };
}

async function apply(
  sync: OwnSync,
  memberState: MemberState,
  change: MemberChange,
  member: SeenMember,
): Promise<SyncOutcome> {
  const { guildId, chatUserId, cause, pending } = sync;
  const { stored, game, doubt } = memberState;
  const made = await carryOut(change, member);
  if (made === null) return giveUp(sync, stored);
  if (game !== null && stored !== null && isRenamed(game, stored))
    await Promise.all([keepGameNames(game, guildId), keepNames(stored, game)]);
  if (doubt !== undefined) await postponeSync(guildId, chatUserId, cause.trigger);
  // A postponed sync has reported its changes.
  if (doubt === undefined || pending.attempts === 0 || hasWork(made.plan)) await recordSync(change, made);
  return { ...outcomeOf(made), ...stateOf(memberState, made.plan) };
}

/** The plan within the guild's removal limit. A resync has counted its own removals. */
function limited(sync: OwnSync, memberState: MemberState, plan: SyncPlan): Promise<SyncPlan> {
  const { guildId } = sync;
  return withinRemovalLimit({ guildId, stored: memberState.stored, mostRemovals: limitOn(sync, memberState) }, plan);
}

/** The removal limit that holds for this sync. */
const limitOn = ({ guild, pending }: OwnSync, { stored, settings }: MemberState): number | undefined =>
  limitOf(stored, pending, mostLosing(guild.memberCount, settings.massRemoval));

/** A member's state with Discord's present data, once Roblox has confirmed its losses. */
async function confirmed(memberState: MemberState, member: SeenMember, facts: GuildFacts): Promise<MemberState> {
  const known = await keepShownNow(memberState, member);
  return confirmAbsences(known, planMember(known, member, facts));
}

/** A member's state after their present appearance on Discord was stored. */
async function keepShownNow(memberState: MemberState, member: SeenMember): Promise<MemberState> {
  const { stored } = memberState;
  if (stored === null || shownChange(stored, member) === null) return memberState;
  const { chatUsername, names } = await keepPerson(stored, member, { isSynced: true });
  return { ...memberState, stored: { ...stored, chatUsername, names } };
}

async function kick(
  { guild, pending }: OwnSync,
  change: MemberChange,
  { member, plan }: { member: SeenMember; plan: SyncPlan },
): Promise<SyncOutcome> {
  const { kick: rule } = plan;
  if (rule === undefined) return nothingMade('done');
  await reportReversed(change, member, plan);
  await kickOut(change, { guildName: guild.name, chatUsername: member.username, rule }, pending);
  return { ...nothingMade('done'), restriction: rule, kicked: true };
}

/** Stores that the person is not in the guild, or that they were kicked. */
async function giveUp(sync: OwnSync, stored: Member | null): Promise<SyncOutcome> {
  const { guildId, chatUserId, pending } = sync;
  if (stored?.kicking !== undefined) {
    await endKick({ guildId, chatUserId }, stored.kicking);
    return nothingMade('left');
  }
  await markAbsent(guildId, chatUserId);
  await tellOfLeaver(sync, stored);
  await giveUpSync({ guildId, chatUserId, owedSync: pending }, { error: notThere() });
  return nothingMade('left');
}

function isRenamed(now: GameIdentity, before: Member): boolean {
  return now.gameUsername !== before.gameUsername || now.gameDisplayName !== before.gameDisplayName;
}
