import Router from '@koa/router';
import { cloudInventory } from './cloud-inventory.js';
import { joinRequestRoutes } from './cloud-join-requests.js';
import { cloudMemberships } from './cloud-memberships.js';
import { readCloudPage } from './cloud-paging.js';
import { rankRoutes } from './cloud-ranks.js';
import { universeRoutes } from './cloud-universes.js';
import { viewCloudGroup, viewCloudRole, viewCloudUser } from './cloud-views.js';
import { headshotUrl } from './headshot-image.js';
import { requireCloudGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import { headshotSizes } from './thumbnails-routes.js';
import type { WireState } from './wire-context.js';
import { cloudError } from './wire-errors.js';

const largestRolePage = 20;

/** Open Cloud v2 on apis.roblox.com: groups, roles, memberships, users, their inventories and thumbnails, messages to games. */
export function cloudRoutes(state: RobloxState, origin: string): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/apis/cloud/v2' });
  groupRoutes(router, state);
  rankRoutes(router, state);
  joinRequestRoutes(router, state);
  universeRoutes(router, state);
  userRoutes(router, state, origin);
  return router;
}

function groupRoutes(router: Router<WireState>, state: RobloxState): void {
  router.get('/groups/:groupId', (ctx) => {
    ctx.body = viewCloudGroup(requireCloudGroup(state, ctx.params.groupId));
  });

  router.get('/groups/:groupId/roles', (ctx) => {
    const group = requireCloudGroup(state, ctx.params.groupId);
    const page = readCloudPage(ctx, largestRolePage);
    const start = page.after ?? 0;
    const end = start + page.size;
    ctx.body = {
      groupRoles: group.roles.slice(start, end).map((role) => viewCloudRole(group, role, state.key.accountId)),
      ...(end < group.roles.length ? { nextPageToken: page.tokenAfter(end) } : {}),
    };
  });

  router.get('/groups/:groupId/roles/:roleId', (ctx) => {
    const group = requireCloudGroup(state, ctx.params.groupId);
    const role = group.findRole(ctx.params.roleId ?? '');
    if (!role) throw cloudError(404, 'The role could not be found.');
    ctx.body = viewCloudRole(group, role, state.key.accountId);
  });

  router.get('/groups/:groupId/memberships', (ctx) => {
    ctx.body = cloudMemberships(state, ctx);
  });
}

function userRoutes(router: Router<WireState>, state: RobloxState, origin: string): void {
  router.get('/users/:userId\\:generateThumbnail', (ctx) => {
    const user = requireUser(state, ctx.params.userId);
    const size = ctx.URL.searchParams.get('size') ?? '420';
    if (!headshotSizes.includes(Number(size))) throw cloudError(400, 'The thumbnail size is not supported.');
    ctx.body = {
      path: `users/${user.id}/operations/thumbnail`,
      done: true,
      response: {
        '@type': 'apis.roblox.com/roblox.open_cloud.cloud.v2.GenerateUserThumbnailResponse',
        imageUri: headshotUrl(origin, user.id),
      },
    };
  });

  router.get('/users/:userId/inventory-items', (ctx) => {
    ctx.body = cloudInventory(requireUser(state, ctx.params.userId), ctx);
  });

  router.get('/users/:userId', (ctx) => {
    ctx.body = viewCloudUser(requireUser(state, ctx.params.userId));
  });
}

/** A banned account is not shown, like one that was deleted. */
function requireUser(state: RobloxState, userId: string | undefined) {
  const user = state.users.find(userId ?? '');
  if (!user || user.banned) throw cloudError(404, 'The user could not be found.');
  return user;
}
