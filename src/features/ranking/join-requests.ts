import { trusted } from 'mongoose';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { decodeCursor, encodeCursor, notOfThisList, type Page, type PageQuery } from '../../lib/cursor.js';
import { AppError, GamePlatformUnavailable, InvalidRequest } from '../../lib/errors.js';
import { type GameUser, readGameUser } from '../../platforms/roblox/game-users.js';
import {
  type JoinRequest,
  readJoinRequestOf,
  readJoinRequests,
  requestsPerPage,
} from '../../platforms/roblox/join-requests.js';
import { type Member, Members, memberIndexes } from '../members/member-model.js';
import { settingOf } from './rank-service.js';

/** A person asking to join a group: their account and the member that shows it in this guild. */
export interface AskingPerson {
  gameUserId: string;
  /** Null where Roblox shows no such account any more. */
  account: GameUser | null;
  requestedAt: Date;
  member: Pick<Member, 'chatUserId' | 'chatUsername'> | null;
}

/** Profiles are read at the same time. */
const profilesAtOnce = 5;
const longestToken = 2_000;

/** Roblox's own page tokens continue the list. They hold for one size of the page. */
const place = z.strictObject({
  joinRequestsOf: z.string(),
  size: z.int().min(1).max(requestsPerPage),
  token: z.string().min(1).max(longestToken),
});

/**
 * A page of the people asking to join a group, in Roblox's order, for an author allowed to rank there (RANKING-25). Throws
 * as `settingOf` does, AppError `roblox_refused`, InvalidRequest for another list's cursor, and GamePlatformUnavailable.
 */
export async function listJoinRequests(
  guild: Guild,
  actor: Actor,
  groupId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<AskingPerson>> {
  await settingOf(guild, actor, groupId);
  const from = decodeCursor(place, cursor);
  if (from !== undefined && from.joinRequestsOf !== groupId) throw new InvalidRequest([notOfThisList]);
  const size = from?.size ?? limit;
  const page = await readJoinRequests(groupId, { size, token: from?.token });
  if (page === 'stale') throw new InvalidRequest([notOfThisList]);
  if (page === 'not_allowed') throw mayNotAnswer();
  const data = await peopleBehind(guild, page.requests);
  const { nextPageToken: token } = page;
  return { data, nextCursor: token === null ? null : encodeCursor({ joinRequestsOf: groupId, size, token }) };
}

/** People on a numbered page, and how many pages of them there are in Discord. */
const peopleOnPage = 10;
export const mostRequestPages = 10;
/** Roblox's pages may have fewer requests than asked for. */
const mostPagesRead = 20;

/** A page by its number, from 1. */
export interface NumberedRequests {
  people: AskingPerson[];
  number: number;
  hasMore: boolean;
}

/**
 * A page of the people asking to join a group by its number: Roblox's pages are read from the first on. It is the last
 * page where the list has become shorter, and the first for no number. Throws as `listJoinRequests` does.
 */
export async function joinRequestsOnPage(
  guild: Guild,
  actor: Actor,
  groupId: string,
  wanted: number,
): Promise<NumberedRequests> {
  await settingOf(guild, actor, groupId);
  const asked = Math.min(Math.max(Math.trunc(wanted) || 1, 1), mostRequestPages);
  const { requests, isWhole } = await firstRequests(groupId, asked * peopleOnPage);
  const number = Math.min(asked, Math.max(1, Math.ceil(requests.length / peopleOnPage)));
  const end = number * peopleOnPage;
  const people = await peopleBehind(guild, requests.slice(end - peopleOnPage, end));
  return { people, number, hasMore: requests.length > end || !isWhole };
}

/** At least this many of the first requests, or all of them. Throws GamePlatformUnavailable if their pages don't end. */
async function firstRequests(groupId: string, count: number): Promise<{ requests: JoinRequest[]; isWhole: boolean }> {
  const requests: JoinRequest[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < mostPagesRead; pages += 1) {
    const page = await readJoinRequests(groupId, { size: requestsPerPage, token });
    if (page === 'not_allowed') throw mayNotAnswer();
    if (page === 'stale') throw new GamePlatformUnavailable();
    requests.push(...page.requests);
    token = page.nextPageToken ?? undefined;
    if (token === undefined || requests.length >= count) return { requests, isWhole: token === undefined };
  }
  throw new GamePlatformUnavailable();
}

/**
 * Those of these few people that ask to join a group now, for an author allowed to rank there. Throws as
 * `listJoinRequests` does.
 */
export async function findJoinRequests(
  guild: Guild,
  actor: Actor,
  groupId: string,
  gameUserIds: readonly string[],
): Promise<AskingPerson[]> {
  await settingOf(guild, actor, groupId);
  const found: JoinRequest[] = [];
  for (const gameUserId of gameUserIds) {
    const request = await readJoinRequestOf(groupId, gameUserId);
    if (request === 'not_allowed') throw mayNotAnswer();
    if (request !== null) found.push(request);
  }
  return peopleBehind(guild, found);
}

async function peopleBehind({ _id: guildId }: Guild, requests: readonly JoinRequest[]): Promise<AskingPerson[]> {
  const ids = requests.map(({ gameUserId }) => gameUserId);
  const [accounts, members] = await Promise.all([readAccounts(ids), shownBy(guildId, ids)]);
  return requests.map(({ gameUserId, requestedAt }) => ({
    ...{ gameUserId, requestedAt },
    account: accounts.get(gameUserId) ?? null,
    member: members.get(gameUserId) ?? null,
  }));
}

/** The key's account lacks a right on Roblox. */
export const mayNotAnswer = (): AppError =>
  new AppError(
    'roblox_refused',
    "The account of this bot's key may not answer join requests on Roblox. Tell whoever runs the bot.",
    { reason: 'requests' },
  );

async function readAccounts(gameUserIds: readonly string[]): Promise<Map<string, GameUser | null>> {
  const queue = new PQueue({ concurrency: profilesAtOnce });
  const reads = gameUserIds.map((id) => async () => [id, await readGameUser(id)] as const);
  try {
    return new Map(await queue.addAll(reads));
  } finally {
    queue.clear();
  }
}

/** The members that show one of these accounts in the guild now (ID-19), by account. */
async function shownBy(guildId: string, gameUserIds: readonly string[]): Promise<Map<string, Member>> {
  if (gameUserIds.length === 0) return new Map();
  const members = await Members.find(
    { guildId, gameUserId: trusted({ $in: [...gameUserIds] }), state: 'linked' },
    { hint: memberIndexes.gameUserId },
  );
  return new Map(members.flatMap((member) => (member.gameUserId === undefined ? [] : [[member.gameUserId, member]])));
}
