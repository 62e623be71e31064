import Router from '@koa/router';
import { z } from 'zod';
import type { ApiKey } from './api-key.js';
import type { GameGroup } from './game-group.js';
import type { LogLine } from './group-log.js';
import { viewPerson, viewRole } from './group-views.js';
import { decodeCursor, encodeCursor } from './page-cursors.js';
import { requireLegacyGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { SandboxGameUser } from './user-directory.js';
import type { WireContext, WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

const logQuery = z.object({
  actionType: z.string().exactOptional(),
  userId: z.string().regex(/^\d+$/).exactOptional(),
  limit: z.enum(['10', '25', '50', '100']).default('10').transform(Number),
  sortOrder: z.enum(['Asc', 'Desc']).default('Asc'),
  cursor: z.string().default(''),
});

/** A group's log, for a key with `legacy-group:manage` whose owner may see it. */
export function groupLogRoutes(state: RobloxState): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/apis/legacy-groups' });

  router.get('/v1/groups/:groupId/audit-log', (ctx) => {
    requireScope(state.key);
    const group = requireLegacyGroup(state, ctx.params.groupId);
    if (!group.log.isVisible) throw legacyError(403, 23, 'Insufficient permissions to complete the request.');
    ctx.body = pageOf(state, group, ctx);
  });

  return router;
}

function requireScope({ scopes }: ApiKey): void {
  if (!scopes.includes('legacy-group:manage')) {
    throw legacyError(401, 0, 'Authorization has been denied for this request.');
  }
}

function pageOf(state: RobloxState, group: GameGroup, ctx: WireContext): object {
  const query = logQuery.safeParse(ctx.query);
  if (!query.success) throw legacyError(400, 8, 'Invalid or missing pagination parameters');
  const { actionType, userId, limit, sortOrder, cursor: text } = query.data;
  const list = `${ctx.state.realPath} ${sortOrder} ${actionType ?? ''} ${userId ?? ''}`;
  const cursor = text ? decodeCursor(text, list) : undefined;
  if (text && !cursor) throw legacyError(400, 8, 'Invalid or missing pagination parameters');
  const isWanted = (line: LogLine) =>
    (actionType ?? line.action) === line.action && (userId === undefined || actorOf(group, line) === userId);
  const all = group.log.lines.filter(isWanted);
  if (sortOrder === 'Desc') all.reverse();
  const start = cursor === undefined ? 0 : all.findIndex(({ order }) => order === cursor.after) + 1;
  const lines = all.slice(start, start + limit);
  const last = lines.at(-1);
  const isMore = start + limit < all.length && last !== undefined;
  return {
    ...(isMore && { nextPageCursor: encodeCursor({ list, after: last.order, backwards: false }) }),
    data: lines.map((line) => viewLine(state, group, line)),
  };
}

/** Who comes and goes does so themselves; ranks are given by the owner, if there is one. */
const actorOf = ({ ownerId }: GameGroup, { action, userId, actorId }: LogLine): string =>
  action === 'JoinGroup' || action === 'LeaveGroup' ? userId : (actorId ?? ownerId ?? userId);

function viewLine({ users }: RobloxState, group: GameGroup, line: LogLine): object {
  const { action, userId, at, roles } = line;
  const actor = users.find(actorOf(group, line));
  const role = group.findMember(actor?.id ?? '')?.roles[0] ?? group.roles[0];
  return {
    ...(actor && { actor: { user: viewPerson(actor), ...(role && { role: viewRole(role) }) } }),
    actionType: action,
    description: action === 'JoinGroup' || action === 'LeaveGroup' ? {} : describe(users.find(userId), userId, roles),
    created: at.toISOString(),
  };
}

/** Roblox's document leaves it open; this is what its answers hold. */
function describe(user: SandboxGameUser | undefined, userId: string, [former, given]: LogLine['roles']): object {
  return {
    TargetId: Number(userId),
    TargetName: user?.username ?? '',
    ...(given && { NewRoleSetId: Number(given.id), NewRoleSetName: given.name }),
    ...(former && { OldRoleSetId: Number(former.id), OldRoleSetName: former.name }),
  };
}
