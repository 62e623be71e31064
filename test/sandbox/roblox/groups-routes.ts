import Router from '@koa/router';
import { z } from 'zod';
import type { GameGroup } from './game-group.js';
import { groupMembersRoutes } from './group-members-routes.js';
import { viewGroupBasics, viewGroupDetail, viewGroupV2, viewRole, viewRoleWithCount } from './group-views.js';
import { requireLegacyGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext, WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

/** Roblox publishes no number for GET /v2/groups; 100 is what its other id lists take. */
const maxGroupIds = 100;

const boolean = z.enum(['true', 'false']);
const membershipQuery = z.object({
  includeLocked: boolean,
  includeNotificationPreferences: boolean,
  discoveryType: z.enum(['0', '1', '2']),
});

/** groups.roblox.com: groups, their roles and members, and one user's groups. */
export function groupsRoutes(state: RobloxState): Router<WireState> {
  const router = new Router<WireState>({ prefix: '/groups' });

  router.get('/v1/groups/search/lookup', (ctx) => {
    const name = ctx.URL.searchParams.get('groupName')?.trim();
    if (!name) throw legacyError(400, 1, 'Name is missing or has invalid characters.');
    ctx.body = { data: state.groups.search(name).slice(0, 10).map(viewGroupBasics) };
  });

  router.get('/v1/groups/:groupId', (ctx) => {
    const group = requireLegacyGroup(state, ctx.params.groupId);
    ctx.body = viewGroupDetail(group, state.users.find(group.ownerId ?? ''));
  });

  router.get('/v1/groups/:groupId/roles', (ctx) => {
    const group = requireLegacyGroup(state, ctx.params.groupId);
    ctx.body = { groupId: Number(group.id), roles: group.roles.map((role) => viewRoleWithCount(group, role)) };
  });

  router.get('/v2/groups', (ctx) => {
    const ids = (ctx.URL.searchParams.get('groupIds') ?? '').split(',');
    if (ids.length > maxGroupIds) throw legacyError(400, 2, 'Too many ids in request.');
    if (!ids.every((id) => /^\d+$/.test(id))) throw legacyError(400, 3, 'Ids could not be parsed from request.');
    ctx.body = { data: ids.flatMap((id) => state.groups.find(id) ?? []).map(viewGroupV2) };
  });

  router.get('/v1/users/:userId/groups/roles', (ctx) => {
    parseMembershipQuery(membershipQuery.partial(), ctx);
    const view = (group: GameGroup) => viewGroupDetail(group, state.users.find(group.ownerId ?? ''));
    ctx.body = { data: membershipsOf(state, ctx, view) };
  });

  router.get('/v2/users/:userId/groups/roles', (ctx) => {
    parseMembershipQuery(membershipQuery, ctx);
    ctx.body = { data: membershipsOf(state, ctx, viewGroupBasics) };
  });

  groupMembersRoutes(router, state);
  return router;
}

/** The v2 form needs all three arguments, the v1 form none (Roblox's OpenAPI). */
function parseMembershipQuery(schema: z.ZodType, ctx: WireContext): void {
  if (!schema.safeParse(ctx.query).success) throw legacyError(400, 0, 'The query arguments are invalid.');
}

/** One entry a group; the older endpoints know only a member's highest role. */
function membershipsOf(state: RobloxState, ctx: WireContext, viewGroup: (group: GameGroup) => object): object[] {
  const user = state.users.find(ctx.params.userId ?? '');
  if (!user) throw legacyError(400, 3, 'The user is invalid or does not exist.');
  return state.groups.groupsOf(user.id).flatMap((group) => {
    const highest = group.findMember(user.id)?.roles[0];
    return highest ? [{ group: viewGroup(group), role: viewRole(highest) }] : [];
  });
}
