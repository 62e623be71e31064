import type Router from '@koa/router';
import { readCloudPage } from './cloud-paging.js';
import { requireRights, userIdIn } from './cloud-rights.js';
import { viewJoinRequest } from './cloud-views.js';
import { requireCloudGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext, WireState } from './wire-context.js';
import { cloudError } from './wire-errors.js';

const largestPage = 20;

/** The requests to join a group: their list, :accept and :decline. */
export function joinRequestRoutes(router: Router<WireState>, state: RobloxState): void {
  router.get('/groups/:groupId/join-requests', (ctx) => {
    const group = requireCloudGroup(state, ctx.params.groupId);
    requireRights(state, group, 'group:read', 'acceptRequests');
    const wanted = wantedUser(ctx);
    const page = readCloudPage(ctx, largestPage);
    const all = [...group.joinRequests].filter(([userId]) => (wanted ?? userId) === userId);
    const start = page.after ?? 0;
    const end = start + page.size;
    ctx.body = {
      groupJoinRequests: all.slice(start, end).map(([userId, at]) => viewJoinRequest(group, userId, at)),
      ...(end < all.length ? { nextPageToken: page.tokenAfter(end) } : {}),
    };
  });

  router.post('/groups/:groupId/join-requests/:requestId\\:accept', (ctx) => {
    const { group, userId } = takeRequest(state, ctx);
    const base = group.roles.find(({ rank }) => rank > 0);
    if (base) state.groups.setRoles(group.id, userId, [base.id], state.key.accountId);
    group.log.note('AcceptJoinRequest', userId, undefined, state.key.accountId);
    answerNothing(ctx);
  });

  router.post('/groups/:groupId/join-requests/:requestId\\:decline', (ctx) => {
    const { group, userId } = takeRequest(state, ctx);
    group.log.note('DeclineJoinRequest', userId, undefined, state.key.accountId);
    answerNothing(ctx);
  });
}

/** A 200 without a body, as Roblox's document has it. */
function answerNothing(ctx: WireContext): void {
  ctx.status = 200;
  ctx.body = '';
  ctx.remove('content-type');
}

function takeRequest(state: RobloxState, ctx: WireContext) {
  const group = requireCloudGroup(state, ctx.params.groupId);
  requireRights(state, group, 'group:write', 'acceptRequests');
  const userId = userIdIn(ctx.params.requestId);
  if (!group.joinRequests.delete(userId)) throw cloudError(404, 'The join request could not be found.');
  return { group, userId };
}

function wantedUser({ URL: { searchParams } }: WireContext): string | undefined {
  const filter = searchParams.get('filter') ?? '';
  if (filter === '') return undefined;
  const [, userId] = /^user == 'users\/(\d+)'$/.exec(filter) ?? [];
  if (userId === undefined) throw cloudError(400, 'The filter is invalid.');
  return userId;
}
