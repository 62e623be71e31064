import type { Actor } from '../../core/actors/actor.js';
import { type LinkedGroup, LinkedGroups } from '../../core/groups/group-model.js';
import { groupNotFound } from '../../core/groups/group-service.js';
import { isRankingOn } from '../../core/groups/ranking-rules.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { AppError, Conflict, NotFound } from '../../lib/errors.js';
import { newId } from '../../lib/ids.js';
import { dayMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';
import { readGameUser } from '../../platforms/roblox/game-users.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { getMember } from '../members/member-service.js';
import { makeMove } from './rank-calls.js';
import { claimMs, type RankChange, RankChanges, type RankDoor } from './rank-change-model.js';
import { storeDone, storeIntended, storeRefused, storeUnknown } from './rank-change-store.js';
import { isDemotion, refusalOf } from './rank-guards.js';
import { areSameRoles, moveBack, moveTo, type RankMove, type RankTarget } from './rank-ladder.js';
import { type GroupRanks, readRanks } from './rank-reading.js';
import { notInGroup, ownRank, rankChanged, rankingOff, refusalOfTarget, refusedByRoblox } from './rank-refusals.js';
import { lookAgainMs, pokeSettling, settleEarlier } from './rank-settling.js';
import { type Followed, followRank } from './rank-sync.js';
import { type Ranker, rankerIn } from './ranker.js';

/** A person by their Discord id, if they are linked here, or by their Roblox account. */
export type RankedPerson = { memberId: string } | { gameUserId: string };

export interface RankWish {
  groupId: string;
  person: RankedPerson;
  target: RankTarget;
  reason?: string | undefined;
  door: RankDoor;
  /** Their highest role as the author saw it. Another one refuses the change. */
  seenGameRoleId?: string | undefined;
}

/** A change, and the result for the member's roles on Discord. */
export interface RankResult {
  change: RankChange;
  followed: Followed;
}

/** The group and the author's rights in it; a person to rank, with their link here. */
interface Setting {
  guild: Guild;
  actor: Actor;
  group: LinkedGroup;
  ranker: Ranker;
}

interface Subject {
  gameUserId: string;
  member: Member | null;
}

/**
 * Changes the rank of a person in a Roblox group, and then their roles on Discord by the one sync (RANKING-1). The state
 * `unknown`: Roblox gave no answer, and the change is settled later. Throws Forbidden, NotFound, Conflict,
 * AppError `roblox_refused` and RateLimited by the rules of docs/spec/ranking.md, and GamePlatformUnavailable.
 */
export async function changeRank(guild: Guild, actor: Actor, wish: RankWish): Promise<RankResult> {
  const [setting, subject] = await settingFor(guild, actor, wish.groupId, wish.person);
  return alone(setting, subject, async () => {
    const ranks = await ranksAround(setting, subject);
    const held = heldBy(ranks, subject);
    if (wish.seenGameRoleId !== undefined && held[0]?.gameRoleId !== wish.seenGameRoleId) throw rankChanged();
    const move = moveTo(wish.target, held, ranks.roles);
    if (typeof move === 'string') throw refusalOfTarget(move);
    return make(setting, subject, { ranks, move, reason: wish.reason, door: wish.door });
  });
}

/**
 * Takes a change back within a day, while the person still has the roles of its end (RANKING-15). Throws NotFound
 * `rank_change_not_found`, Conflict `rank_not_undoable` and `rank_changed`, and else as `changeRank` does.
 */
export async function undoRank(
  guild: Guild,
  actor: Actor,
  { groupId, changeId, door }: { groupId: string; changeId: string; door: RankDoor },
): Promise<RankResult> {
  const setting = await settingOf(guild, actor, groupId);
  const guildId = guild._id;
  const change = await RankChanges.findOne({ _id: changeId, guildId, groupId });
  if (change === null) throw new NotFound('rank_change_not_found', 'There is no such change of a rank here.');
  if (!isUndoable(change)) {
    const words = 'This change can no longer be taken back: it was not made, was taken back, or its day is over.';
    throw new Conflict('rank_not_undoable', words);
  }
  const subject = await subjectOf(guild, change);
  return alone(setting, subject, async () => {
    const ranks = await ranksAround(setting, subject);
    if (!areSameRoles(heldBy(ranks, subject), change.after)) throw rankChanged();
    return make(setting, subject, { ranks, move: moveBack(change), door, undoes: changeId });
  });
}

/** Whether a change was made within the last day, and not taken back. */
export const isUndoable = ({ state, undoneBy, at, decision }: RankChange): boolean =>
  state === 'done' && undoneBy === undefined && decision === undefined && clock.epochMs() - at.getTime() < dayMs;

/** Changes of one person in a group never overlap, in any process. */
const alone = <T>({ group, ranker }: Setting, { gameUserId }: Subject, work: () => Promise<T>): Promise<T> => {
  if (ranker.ownGameUserIds.has(gameUserId)) throw ownRank();
  return withLease(`rank:${group.groupId}:${gameUserId}`, async () => {
    await settleEarlier({ groupId: group.groupId, gameUserId });
    return work();
  });
};

/** Throws Conflict `ranking_off`, NotFound `group_not_found`, and as `rankerIn` does. */
export async function settingOf(guild: Guild, actor: Actor, groupId: string): Promise<Setting> {
  const group = await rankedGroup(guild, groupId);
  return { guild, actor, group, ranker: await rankerIn(guild, actor, group) };
}

async function rankedGroup(guild: Guild, groupId: string): Promise<LinkedGroup> {
  const group = await LinkedGroups.findOne({ guildId: guild._id, groupId });
  if (group === null) throw groupNotFound();
  if (!isRankingOn(groupId)) throw rankingOff();
  return group;
}

/**
 * The setting and a person in it. Author and person are read at the same time, so that one command finds both. A
 * refusal of the author comes first. Throws as `settingOf` and `subjectOf` do.
 */
export async function settingFor(
  guild: Guild,
  actor: Actor,
  groupId: string,
  person: RankedPerson,
): Promise<[Setting, Subject]> {
  const group = await rankedGroup(guild, groupId);
  const [author, subject] = await Promise.allSettled([rankerIn(guild, actor, group), subjectOf(guild, person)]);
  if (author.status === 'rejected') throw author.reason;
  if (subject.status === 'rejected') throw subject.reason;
  return [{ guild, actor, group, ranker: author.value }, subject.value];
}

/** Throws NotFound `member_not_found` and `not_linked`. */
export async function subjectOf({ _id: guildId }: Guild, person: RankedPerson): Promise<Subject> {
  if ('gameUserId' in person) {
    const { gameUserId } = person;
    const [member = null] = await Members.find(
      { guildId, gameUserId, state: 'linked' },
      { limit: 1, hint: memberIndexes.gameUserId },
    );
    return { gameUserId, member };
  }
  const member = await getMember(guildId, person.memberId);
  if (member.state !== 'linked' || member.gameUserId === undefined) {
    throw new NotFound('not_linked', 'This person has no Roblox account here. Name their account instead.');
  }
  return { gameUserId: member.gameUserId, member };
}

const ranksAround = ({ group, ranker }: Setting, { gameUserId }: Subject): Promise<GroupRanks> =>
  readRanks(group.groupId, [gameUserId], ranker.gameUserId);

/** Throws Conflict `not_in_group`. */
function heldBy(ranks: GroupRanks, { gameUserId }: Subject): readonly GameRole[] {
  const held = ranks.of(gameUserId);
  if (held.length === 0) throw notInGroup();
  return held;
}

interface Making {
  ranks: GroupRanks;
  move: RankMove;
  reason?: string | undefined;
  door: RankDoor;
  undoes?: string;
}

/** Stores the intended change, makes it, and stores the result. */
async function make(setting: Setting, subject: Subject, making: Making): Promise<RankResult> {
  const { group, ranker } = setting;
  const { ranks, move } = making;
  const refusal = refusalOf(move, ranker, ranks.around);
  if (refusal !== null) throw refusal;
  const change = await intended(setting, subject, making);
  await storeIntended(change, ranker);
  const outcome = await makeMove(change, move);
  if (outcome.kind === 'unknown') {
    await storeUnknown(change, lookAgainMs);
    pokeSettling(lookAgainMs);
    return { change: { ...change, state: 'unknown' }, followed: 'later' };
  }
  if (outcome.kind === 'refused') {
    await storeRefused(change, outcome.reason);
    throw refusedByRoblox(outcome.reason, outcome.retryAfterSeconds);
  }
  const after = ranks.roles.filter(({ gameRoleId }) => outcome.gameRoleIds.includes(gameRoleId)).reverse();
  const { member } = subject;
  const done = (await storeDone(change, { group, member }, { after, isOpen: member !== null })) ?? change;
  const held = new Map([...ranks.everywhere(change.gameUserId), [change.groupId, outcome.gameRoleIds]]);
  return { change: done, followed: await followRank(setting.guild, done, { held, readAt: outcome.at }) };
}

async function intended(
  { guild, actor, group, ranker }: Setting,
  subject: Subject,
  making: Making,
): Promise<RankChange> {
  const { gameUserId, member } = subject;
  const { move, reason, door, undoes } = making;
  const at = clock.now();
  const gameUsername = member?.gameUsername ?? (await readGameUser(gameUserId))?.gameUsername ?? gameUserId;
  return {
    ...{ _id: newId('rnk', at), guildId: guild._id, groupId: group.groupId, gameUserId, gameUsername },
    ...(member !== null && { chatUserId: member.chatUserId }),
    actor: { kind: actor.kind, id: actor.id, name: actor.name },
    ...{ by: ranker.by, door, at, state: 'intended', before: move.before, after: move.after },
    ...(reason !== undefined && { reason }),
    ...(undoes !== undefined && { undoes }),
    dueAt: new Date(at.getTime() + claimMs),
  };
}

/** The result of one of several changes. */
export type RankPart = { result: RankResult } | { refusal: AppError };

/** More demotions than this in one list take their number as a confirmation (RANKING-13). */
const fewDemotions = 5;

/**
 * Changes several ranks, each by itself, in the order of the wish. Throws Conflict `demotions_unconfirmed` before the
 * first if more than five people would stand lower and `confirmed` is another number; else as `changeRank` does for the
 * group as a whole.
 */
export async function changeRanks(
  guild: Guild,
  actor: Actor,
  wishes: readonly RankWish[],
  confirmed: number | undefined,
): Promise<RankPart[]> {
  const [first] = wishes;
  if (first === undefined) return [];
  const setting = await settingOf(guild, actor, first.groupId);
  if (wishes.length > fewDemotions) await requireConfirmed(setting, wishes, confirmed);
  const parts: RankPart[] = [];
  for (const wish of wishes) {
    parts.push(
      await changeRank(guild, actor, wish).then(
        (result): RankPart => ({ result }),
        (error: unknown): RankPart => ({ refusal: asRefusal(error) }),
      ),
    );
  }
  return parts;
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

async function requireConfirmed(
  { guild, group }: Setting,
  wishes: readonly RankWish[],
  confirmed: number | undefined,
): Promise<void> {
  const subjects = await Promise.all(wishes.map((wish) => subjectOf(guild, wish.person).catch(() => null)));
  const known = subjects.flatMap((subject) => subject?.gameUserId ?? []);
  const ranks = await readRanks(group.groupId, known, null);
  const demotions = wishes.filter(({ target }, n) => {
    const move = moveTo(target, ranks.of(subjects[n]?.gameUserId ?? ''), ranks.roles);
    return typeof move !== 'string' && isDemotion(move);
  }).length;
  if (demotions <= fewDemotions || demotions === confirmed) return;
  const words = `This demotes ${demotions} people at once. Send their number as \`demotions\` to confirm it.`;
  throw new Conflict('demotions_unconfirmed', words, { demotions });
}
