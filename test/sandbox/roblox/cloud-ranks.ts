import type Router from '@koa/router';
import { z } from 'zod';
import { requireRights, userIdIn } from './cloud-rights.js';
import { viewMembership } from './cloud-views.js';
import type { GameGroup } from './game-group.js';
import type { SandboxGameRole } from './game-role.js';
import type { GroupMember } from './member-index.js';
import { requireCloudGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext, WireState } from './wire-context.js';
import { cloudError } from './wire-errors.js';

/** POST /cloud/v2/groups/{group}/memberships/{membership}:assignRole and :unassignRole. */
export function rankRoutes(router: Router<WireState>, state: RobloxState): void {
  router.post('/groups/:groupId/memberships/:membershipId\\:assignRole', (ctx) => {
    const { group, member, role } = changeIn(state, ctx);
    if (!holds(member, role)) setRoles(state, group, member, [...member.roles, role]);
    ctx.body = viewMembership(group, member);
  });

  router.post('/groups/:groupId/memberships/:membershipId\\:unassignRole', (ctx) => {
    const { group, member, role } = changeIn(state, ctx);
    if (holds(member, role)) takeRole(state, group, member, role);
    ctx.body = viewMembership(group, member);
  });
}

const holds = ({ roles }: GroupMember, { id }: SandboxGameRole): boolean => roles.some((role) => role.id === id);

/** A member always has the base role, the lowest one. */
function takeRole(state: RobloxState, group: GameGroup, member: GroupMember, role: SandboxGameRole): void {
  const others = member.roles.filter(({ id }) => id !== role.id);
  const base = group.roles.find(({ rank }) => rank > 0);
  if (others.length === 0 && (base === undefined || role.id === base.id)) {
    throw cloudError(400, 'The base role of a member cannot be unassigned.');
  }
  setRoles(state, group, member, others.length > 0 || base === undefined ? others : [base]);
}

function setRoles({ groups, key }: RobloxState, { id }: GameGroup, { userId }: GroupMember, roles: SandboxGameRole[]) {
  const roleIds = roles.map((role) => role.id);
  groups.setRoles(id, userId, roleIds, key.accountId);
}

/** The change that a request asks for, if the key's account may make it: below its own rank, on both sides. */
function changeIn(state: RobloxState, ctx: WireContext) {
  const group = requireCloudGroup(state, ctx.params.groupId);
  requireRights(state, group, 'group:write', 'changeRank');
  const role = roleIn(group, ctx.request.body);
  const userId = userIdIn(ctx.params.membershipId);
  const member = group.findMember(userId);
  if (!member || state.users.find(userId)?.banned !== false)
    throw cloudError(404, 'The membership could not be found.');
  const own = group.rankOf(state.key.accountId);
  if (role.rank >= own || group.rankOf(userId) >= own) {
    throw cloudError(403, 'Insufficient permissions to complete the request.');
  }
  return { group, member, role };
}

function roleIn(group: GameGroup, body: unknown): SandboxGameRole {
  const [, groupId, roleId = ''] =
    /^groups\/(\d+)\/roles\/(\d+)$/.exec(z.object({ role: z.string() }).safeParse(body).data?.role ?? '') ?? [];
  if (groupId !== group.id) throw cloudError(400, 'The role is invalid.');
  const role = group.findRole(roleId);
  if (!role) throw cloudError(404, 'The role could not be found.');
  if (role.rank === 0) throw cloudError(400, 'The role is invalid.');
  return role;
}
