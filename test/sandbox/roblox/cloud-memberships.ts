import { type CloudPage, readCloudPage } from './cloud-paging.js';
import { viewMembership } from './cloud-views.js';
import type { GameGroup } from './game-group.js';
import { parseMembershipFilter } from './membership-filter.js';
import { requireCloudGroup } from './require-group.js';
import type { RobloxState } from './roblox-state.js';
import type { WireContext } from './wire-context.js';

const largestPage = 100;

/** GET /cloud/v2/groups/{group}/memberships: for one group, or with group `-` for up to 50 users over all groups. */
export function cloudMemberships(state: RobloxState, ctx: WireContext): object {
  const acrossGroups = ctx.params.groupId === '-';
  const group = acrossGroups ? undefined : requireCloudGroup(state, ctx.params.groupId);
  const filter = parseMembershipFilter(ctx.URL.searchParams.get('filter') ?? '', acrossGroups);
  const page = readCloudPage(ctx, largestPage);
  if (filter.kind === 'users') return pageOfUsers(state, filter.userIds, group, page);
  if (!group || (filter.kind === 'role' && filter.groupId !== group.id)) return { groupMemberships: [] };
  return pageOfGroup(group, filter.kind === 'role' ? filter.roleId : undefined, page);
}

function pageOfGroup(group: GameGroup, roleId: string | undefined, page: CloudPage): object {
  const { members, more } = group.members(roleId).page({ after: page.after, limit: page.size });
  const last = members.at(-1);
  return {
    groupMemberships: members.map((member) => viewMembership(group, member)),
    ...(more && last ? { nextPageToken: page.tokenAfter(last.order) } : {}),
  };
}

function pageOfUsers(
  state: RobloxState,
  userIds: readonly string[],
  only: GameGroup | undefined,
  page: CloudPage,
): object {
  const memberships = userIds.flatMap((userId) => {
    const groups = only ? [only] : state.groups.groupsOf(userId);
    return groups.flatMap((group) => {
      const member = group.findMember(userId);
      return member ? [viewMembership(group, member)] : [];
    });
  });
  const start = page.after ?? 0;
  const end = start + page.size;
  return {
    groupMemberships: memberships.slice(start, end),
    ...(end < memberships.length ? { nextPageToken: page.tokenAfter(end) } : {}),
  };
}
