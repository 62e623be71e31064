import { trusted } from 'mongoose';
import { systemActor } from '../../../core/actors/actor.js';
import { enterLog } from '../../../core/audit/audit-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { clock } from '../../../lib/clock.js';
import { readGuildFacts } from '../../../platforms/discord/guild-facts.js';
import { push } from '../../../platforms/events/outbox.js';
import type { GroupRoles } from '../../../platforms/roblox/memberships.js';
import { readAgain } from '../../../platforms/roblox/second-reading.js';
import { noteMissing } from '../../accounts/account-gone.js';
import { linkMissing } from '../../accounts/missing-links.js';
import { addObstacle, removeObstacle } from '../../members/blocked-syncs.js';
import { Members, memberIndexes } from '../../members/member-model.js';
import { keepPresence, storedAmong } from '../../members/page-presence.js';
import { countPlan, recentRemovals, restartCount } from '../member/removal-limit.js';
import { postponeSync } from '../member/sync-retries.js';
import { gainsByAbsence, groupsBehind, restsOnTraits } from '../plan/group-absence.js';
import { beginning } from '../plan/guild-plan.js';
import { GuildRanks } from '../plan/guild-ranks.js';
import { type GuildRules, isMassRemoval, missingGroups, mostLosing, readWholeRules } from '../plan/guild-rules.js';
import { memberStateInCrowd, planMember } from '../plan/member-state.js';
import { heldRemoval, type SyncPlan } from '../plan/plan.js';
import type { PlannedChange } from '../plan/planned-change-model.js';
import { countLosing, pendingChanges, updateChange } from '../plan/planned-changes.js';
import { seenBy } from './resync-change.js';
import { entryOfResync } from './resync-ending.js';
import { traitsOfChanges } from './resync-ranks.js';
import type { ResyncRun } from './resync-run.js';

/**
 * Checks a whole plan before any part is written (RESYNC-7). Returns whether it may be written: above the limit an
 * admin must confirm this many losses under these rules. Throws GamePlatformUnavailable, ChatPlatformUnavailable.
 */
export async function checkPlan(run: ResyncRun): Promise<boolean> {
  const rules = await readWholeRules(await run.servedGuild());
  if (run.job.fixedPlan) await linkAsShown(run, rules.settings);
  await dropDoubtful(run, rules);
  const { confirmation, rulesKey = null, lostBefore = 0 } = run.job;
  const losing = await countLosing(run.job);
  // Members that lost roles in this run before the rules changed count together with those that would now.
  const own = losing + lostBefore;
  const isConfirmed = confirmation?.rulesKey === rulesKey && own <= confirmation.losing;
  if (isConfirmed) await restartCount(run.job.guildId);
  const tooMany = isConfirmed ? null : await countWithin(run, { own, losing });
  if (tooMany !== null) {
    await holdBack(run, tooMany);
    return false;
  }
  await freeLosers(run, own);
  await leaveToOwnSyncs(run, rules);
  await run.advance({ $set: { phase: 'applying' }, $unset: { waiting: 1 } });
  return true;
}

/** How many members lose roles, with those that lost some before within the hour, out of all concerned. */
interface Losses {
  losing: number;
  before: number;
  members: number;
}

/**
 * Counts a plan's losses within the removal limit, with all others in the hour, by one command. A partial plan also
 * counts alone, and may take nothing that another plan holds. Returns null, or the losses for which an admin must be
 * asked. `own`: with this run's before the rules changed.
 */
async function countWithin(run: ResyncRun, { own, losing }: { own: number; losing: number }): Promise<Losses | null> {
  const { _id: planId, guildId, planned, kind } = run.job;
  if (losing === 0) {
    await countPlan(guildId, { planId, losing: own }, Number.POSITIVE_INFINITY);
    return null;
  }
  // The current setting: changing it does not void the plan.
  const { massRemoval } = await readSettings(guildId);
  const alone = { losing: own, before: 0, members: planned.members };
  const isWhole = kind === 'whole';
  if (isMassRemoval(own, planned.members, massRemoval)) return alone;
  if (!isWhole && (await takesHeld(run))) return alone;
  const members = isWhole ? planned.members : (await run.servedGuild()).memberCount;
  if (await countPlan(guildId, { planId, losing: own }, mostLosing(members, massRemoval))) return null;
  const before = await recentRemovals(guildId, planId);
  return { losing: own + before, before, members };
}

/** Whether a plan would take roles from a member held by another waiting plan. */
async function takesHeld(run: ResyncRun): Promise<boolean> {
  const { guildId } = run.job;
  for await (const changes of pendingOf(run)) {
    const theirs = { guildId, chatUserId: trusted({ $in: losersAmong(changes) }), blockedBy: heldRemoval };
    if ((await Members.count(theirs, { hint: memberIndexes.blockedBy })) > 0) return true;
  }
  return false;
}

const losersAmong = (changes: readonly PlannedChange[]): string[] =>
  changes.flatMap(({ chatUserId, expected: { remove, kick } }) =>
    remove.length > 0 || kick !== undefined ? chatUserId : [],
  );

/** Frees the people in a plan that may be written. */
async function freeLosers(run: ResyncRun, own: number): Promise<void> {
  const { guildId, kind } = run.job;
  if (kind === 'whole') await removeObstacle(guildId, heldRemoval);
  else if (own > 0)
    for await (const changes of pendingOf(run)) await removeObstacle(guildId, heldRemoval, losersAmong(changes));
}

/** Holds a plan until an admin confirms it. Nothing else takes these roles, also if it is thrown away. */
async function holdBack(run: ResyncRun, { losing, before, members }: Losses): Promise<void> {
  for await (const changes of pendingOf(run)) await addObstacle(run.job.guildId, losersAmong(changes), heldRemoval);
  const share = Math.min(1, losing / Math.max(1, members));
  const changes = { losing: { from: 0, to: losing }, members: { from: members, to: members } };
  const entry = entryOfResync(run.job, systemActor('mass-removal-brake'), 'resync.held', changes);
  const awaitingConfirmation = { losing, ...(before > 0 && { before }), share, since: clock.now() };
  await run.advance({ $set: { awaitingConfirmation }, $unset: { waiting: 1 }, ...push(entry) });
  await enterLog(entry);
}

/** How many people are also checked through another interface. All are checked only if it contradicts the first. */
const secondOpinions = 20;
const mostAtOnce = 5_000;

/**
 * Before anything is written, reads Roblox again for everyone that would lose something by their ranks, or get
 * something for being outside a group, since a well-formed answer can be wrong (RESYNC-5). Some are also read through
 * its other interface, in case the first is wrong both times. A change that is not confirmed is left to its own sync.
 * Throws GamePlatformUnavailable, ChatPlatformUnavailable.
 */
async function dropDoubtful(run: ResyncRun, rules: GuildRules): Promise<void> {
  const opinions = new SecondOpinions();
  for await (const changes of pendingOf(run)) {
    for (const change of await doubtfulAmong(changes, { run, rules, opinions })) await leaveToOwnSync(change);
  }
}

/**
 * Kicks, and losses caused by traits that may be a day old, are left to their own sync, which reads Roblox again
 * (RESTR-12). They have counted for the removal limit.
 */
async function leaveToOwnSyncs(run: ResyncRun, rules: GuildRules): Promise<void> {
  if (rules.traitsWanted.length === 0 && rules.settings.restrictions.action !== 'kick') return;
  const isLeft = (change: PlannedChange): boolean =>
    change.expected.kick !== undefined ||
    (change.standing.gameUserId !== null && restsOnTraits(change.expected, rules));
  for await (const changes of pendingOf(run)) {
    for (const change of changes.filter(isLeft)) await leaveToOwnSync(change, true);
  }
}

async function* pendingOf(run: ResyncRun): AsyncGenerator<PlannedChange[]> {
  for await (const changes of pendingChanges(run.job, mostAtOnce)) {
    yield changes;
    await run.check();
  }
}

/** A preview shows people as linked if their account links them; a resync links them as it plans. */
async function linkAsShown(run: ResyncRun, settings: GuildSettings): Promise<void> {
  const { _id, guildId, asOf: askedAt = clock.now() } = run.job;
  for await (const changes of pendingOf(run)) {
    const people = changes
      .filter(({ standing }) => standing.gameUserId !== null)
      .map(({ chatUserId, chatUsername: username }) => ({ chatUserId, username }));
    const ids = people.map(({ chatUserId }) => chatUserId);
    const stored = await storedAmong(guildId, ids);
    await keepPresence({ guildId, after: beginning, next: null, people, askedAt }, stored, true);
    await linkMissing(guildId, stored.values(), settings, _id);
  }
}

interface Check {
  run: ResyncRun;
  rules: GuildRules;
  opinions: SecondOpinions;
}

/** A plan's grounds for a second reading: losses, roles for people outside a group, and a nickname for that. */
type AtStake = Pick<SyncPlan, 'add' | 'remove' | 'nickname'>;

function atStakeIn({ expected, absentFrom }: PlannedChange, rules: GuildRules): AtStake {
  const { remove, nickname } = expected;
  return { add: gainsByAbsence(expected, rules), remove, nickname: absentFrom.length > 0 ? nickname : undefined };
}

/** The changes with something at stake that a second rank reading does not confirm. */
async function doubtfulAmong(
  changes: readonly PlannedChange[],
  { run, rules, opinions }: Check,
): Promise<PlannedChange[]> {
  const atStake = changes.flatMap((change) => {
    const due = atStakeIn(change, rules);
    const groupIds = change.standing.gameUserId === null ? [] : groupsBehind(due, rules);
    return groupIds.length === 0 ? [] : { change, groupIds, due };
  });
  if (atStake.length === 0) return [];
  const { guildId } = run.job;
  const groupIds = [...new Set(atStake.flatMap((one) => one.groupIds))];
  const theirs = atStake.map(({ change }) => change);
  const ranks = new GuildRanks(groupIds, run.signal);
  const readAt = clock.now();
  const [gone, stored, facts, traits] = await Promise.all([
    missingGroups(groupIds, { fresh: true }),
    membersOf(
      guildId,
      theirs.map(({ chatUserId }) => chatUserId),
    ),
    readGuildFacts(guildId),
    traitsOfChanges(guildId, theirs, rules),
    ranks.read(theirs.map(gameUserIdOf)),
  ]);
  const rulesNow = { ...rules, missing: new Set([...rules.missing, ...gone]) };
  const doubtful: PlannedChange[] = [];
  for (const { change, groupIds: behind, due } of atStake) {
    const member = stored.get(change.chatUserId) ?? null;
    // A member relinked since is skipped in their turn; a deleted account certainly has no ranks.
    if (member?.gameUserId !== gameUserIdOf(change)) continue;
    const memberState = memberStateInCrowd(member, {
      rules: rulesNow,
      ranks,
      readAt,
      traits: traits.get(change.chatUserId),
    });
    const isSure =
      memberState !== null &&
      makesAllOf(due, planMember(memberState, seenBy(change), facts)) &&
      (memberState.gone || (await opinions.agree(change, behind, memberState.ranks)));
    if (!isSure) doubtful.push(change);
  }
  return doubtful;
}

/**
 * Whether `again` gives and takes everything at stake, and gives the same nickname. Roles blocked since are neither given
 * nor taken. Pure.
 */
function makesAllOf({ add, remove, nickname }: AtStake, again: SyncPlan): boolean {
  const blocked = again.blocked.map(({ roleId }) => roleId);
  const [given, taken] = [new Set([...again.add, ...blocked]), new Set([...again.remove, ...blocked])];
  const isNamed = nickname === undefined || nickname === again.nickname || again.nicknameBlocked !== null;
  return isNamed && add.every((roleId) => given.has(roleId)) && remove.every((roleId) => taken.has(roleId));
}

/** Readings through Roblox's other interface: for the first few people, or for all after one contradiction. */
class SecondOpinions {
  #agreed = 0;
  #contradicted = false;

  /** Whether it returns the same roles for a person in these groups. */
  async agree(change: PlannedChange, groupIds: readonly string[], ranks: GroupRoles): Promise<boolean> {
    if (!this.#contradicted && this.#agreed === secondOpinions) return true;
    const opinion = await readAgain(gameUserIdOf(change), groupIds, ranks);
    if (opinion === 'agrees') this.#agreed += 1;
    if (opinion === 'contradicts') this.#contradicted = true;
    // A deleted account is no contradiction: it is checked separately.
    if (opinion === 'unknown') await noteMissing(gameUserIdOf(change));
    return opinion === 'agrees';
  }
}

const gameUserIdOf = ({ standing: memberState }: PlannedChange): string => memberState.gameUserId ?? '';

async function membersOf(guildId: string, chatUserIds: readonly string[]) {
  const theirs = { guildId, chatUserId: trusted({ $in: [...chatUserIds] }) };
  const found = await Members.find(theirs, { hint: memberIndexes.chatUserId });
  return new Map(found.map((member) => [member.chatUserId, member]));
}

async function leaveToOwnSync(change: PlannedChange, counted?: true): Promise<void> {
  await postponeSync(change.guildId, change.chatUserId, 'resync', counted && { counted });
  await updateChange(change, { state: 'skipped' });
}
