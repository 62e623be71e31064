import { z } from 'zod';
import { gameId } from '../../lib/ids.js';
import { robloxConfig } from './roblox-config.js';
import { incompleteAnswer, type Patience, readRoblox } from './roblox-http.js';

/** The largest page (Roblox's OpenAPI). */
const linesPerPage = 100;
/** Maximum pages per log read; people in older lines stay unknown. */
const pagesAtOnce = 3;

/** Actions that change the rank for the person named in the line. */
const aboutSomebody = new Set([
  ...['ChangeRank', 'AssignRole', 'UnassignRole', 'JoinGroup', 'LeaveGroup', 'AcceptJoinRequest', 'RemoveMember'],
  ...['BanMember', 'ChangeOwner'],
]);
/** Without a target, these are about their author. */
const byThemselves = new Set(['JoinGroup', 'LeaveGroup']);
/** Every member with that role has a different one now. */
const aboutEverybody = new Set(['DeleteRoleset']);

const numericId = z.union([z.int().transform(String), z.string()]).pipe(gameId);
/** Roblox's documentation does not define a description's content. */
const target = z.object({ TargetId: numericId });

const logPage = z.object({
  data: z.array(
    z.object({
      actionType: z.string(),
      actor: z.object({ user: z.object({ userId: numericId }).nullish().catch(null) }).nullish(),
      description: z.unknown(),
      created: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
    }),
  ),
  nextPageCursor: z.string().nullish(),
});
type LogLine = z.output<typeof logPage>['data'][number];

export interface GroupLog {
  /** The newest line's time; null for an empty log. */
  newestAt: Date | null;
  /** The people with possibly changed ranks, each with their newest line's time. */
  changedAt: Map<string, Date>;
  /** False if other ranks may have changed too: there are more lines than are read, or one without a person. */
  isComplete: boolean;
}

/**
 * Reads a group's own log (legacy-groups, 100 calls a minute): the lines newer than `since`, or only the newest line's
 * time. Null if the key may not see the log. Needs the key. Throws GamePlatformUnavailable, also for a log that is not
 * newest first.
 */
export async function readGroupLog(groupId: string, since: Date | null, patience?: Patience): Promise<GroupLog | null> {
  const log: GroupLog = { newestAt: null, changedAt: new Map(), isComplete: true };
  let oldest: Date | undefined;
  let cursor = '';
  for (let page = 1; ; page += 1) {
    const answer = await readPage(groupId, cursor, patience);
    if (answer === null) return null;
    oldest = requireNewestFirst(answer.data, oldest);
    log.newestAt ??= answer.data[0]?.created ?? null;
    const wanted = answer.data.filter(({ created }) => since !== null && created > since);
    for (const line of wanted) note(log, line);
    cursor = answer.nextPageCursor ?? '';
    if (cursor === '' || wanted.length < answer.data.length) return log;
    if (answer.data.length === 0) throw incompleteAnswer('a log with an empty page in between');
    if (page === pagesAtOnce) {
      log.isComplete = false;
      return log;
    }
  }
}

function readPage(groupId: string, cursor: string, patience?: Patience) {
  return readRoblox({
    host: 'apis',
    endpoint: 'audit_log',
    path: `/legacy-groups/v1/groups/${gameId.parse(groupId)}/audit-log`,
    headers: { 'x-api-key': robloxConfig().apiKey ?? '' },
    query: { limit: linesPerPage, sortOrder: 'Desc', ...(cursor && { cursor }) },
    answer: logPage,
    // Without the scope, or if the key's owner may not see the log.
    absent: { status: [401, 403] },
    ...(patience && { patience }),
  });
}

function requireNewestFirst(lines: readonly LogLine[], before: Date | undefined): Date | undefined {
  let last = before;
  for (const { created } of lines) {
    if (last !== undefined && created > last) throw incompleteAnswer('a log that is not newest first');
    last = created;
  }
  return last;
}

function note(log: GroupLog, { actionType, actor, description, created }: LogLine): void {
  if (aboutEverybody.has(actionType)) log.isComplete = false;
  if (!aboutSomebody.has(actionType)) return;
  const named = target.safeParse(description).data?.TargetId;
  const id = named ?? (byThemselves.has(actionType) ? actor?.user?.userId : undefined);
  if (id === undefined) log.isComplete = false;
  else keepNewest(log, id, created);
  // An ownership transfer also changes the former owner's role.
  if (actionType === 'ChangeOwner' && actor?.user) keepNewest(log, actor.user.userId, created);
}

/** Lines come newest first. */
function keepNewest({ changedAt }: GroupLog, gameUserId: string, created: Date): void {
  if (!changedAt.has(gameUserId)) changedAt.set(gameUserId, created);
}
