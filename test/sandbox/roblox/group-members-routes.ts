import type Router from '@koa/router';
import { z } from 'zod';
import { viewPerson, viewRole } from './group-views.js';
import type { GroupMember, MemberIndex } from './member-index.js';
import { decodeCursor, encodeCursor } from './page-cursors.js';
import { requireLegacyGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext, WireState } from './wire-context.js';
import { legacyError } from './wire-errors.js';

/** Group member lists come in pages of 10, 25, 50 or 100 (Roblox). */
const pageQuery = z.object({
  limit: z.enum(['10', '25', '50', '100']).default('10').transform(Number),
  sortOrder: z.enum(['Asc', 'Desc']).default('Asc'),
  cursor: z.string().default(''),
});

/** The paged member lists on groups.roblox.com: for a whole group, and for one role in it. */
export function groupMembersRoutes(router: Router<WireState>, state: RobloxState): void {
  router.get('/v1/groups/:groupId/users', (ctx) => {
    const group = requireLegacyGroup(state, ctx.params.groupId);
    ctx.body = pageOf(ctx, group.members(), (member) => {
      const highest = member.roles[0];
      return highest ? { user: viewPerson(state.users.get(member.userId)), role: viewRole(highest) } : {};
    });
  });

  router.get('/v1/groups/:groupId/roles/:roleId/users', (ctx) => {
    const group = requireLegacyGroup(state, ctx.params.groupId);
    const role = group.findRole(ctx.params.roleId ?? '');
    if (!role) throw legacyError(403, 2, 'The roleset is invalid or does not exist.');
    ctx.body = pageOf(ctx, group.members(role.id), (member) => viewPerson(state.users.get(member.userId)));
  });
}

function pageOf(ctx: WireContext, index: MemberIndex, view: (member: GroupMember) => object): object {
  const query = pageQuery.safeParse(ctx.query);
  if (!query.success) throw legacyError(400, 0, 'The query arguments are invalid.');
  const { limit, sortOrder, cursor: text } = query.data;
  const list = `${ctx.state.realPath} ${sortOrder}`;
  const cursor = text ? decodeCursor(text, list) : undefined;
  if (text && !cursor) throw legacyError(400, 36, 'The pagination cursor is invalid.');

  const backwards = cursor?.backwards ?? false;
  const descending = (sortOrder === 'Desc') !== backwards;
  const { members, more } = index.page({ after: cursor?.after, limit, descending });
  if (backwards) members.reverse();
  const place = (member: GroupMember | undefined, before: boolean, exists: boolean) =>
    member && exists ? encodeCursor({ list, after: member.order, backwards: before }) : null;
  return {
    previousPageCursor: place(members[0], true, backwards ? more : cursor !== undefined),
    nextPageCursor: place(members.at(-1), false, backwards || more),
    data: members.map(view),
  };
}
