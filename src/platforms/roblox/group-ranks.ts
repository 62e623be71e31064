import { z } from 'zod';
import { GamePlatformUnavailable } from '../../lib/errors.js';
import { gameId } from '../../lib/ids.js';
import { isAccountGone } from './game-users.js';
import { readRolesInGroup } from './open-cloud-memberships.js';
import { writeRoblox } from './roblox-write.js';

/** The reasons for which Roblox changes nothing. */
export const rankRefusals = [
  /** 401: the key is unknown, disabled or expired. */
  'key',
  /** 403: the key lacks `group:write`, or its account may not give this role or rank this member. */
  'permission',
  'not_member',
  'account_gone',
  /** 409: Roblox takes nobody more into the role, or changes it at the moment. */
  'role_full',
  /** The group has no such role, or nobody can be given it. */
  'role_unknown',
  'rate_limited',
  /** Roblox is away, and nothing was sent. */
  'not_sent',
  /** Roblox refused, and the reason can't be found now. */
  'unexplained',
] as const;
export type RankRefusal = (typeof rankRefusals)[number];

/** `done`: the roles of the member in this group after the write, as Roblox answered them. */
export type RankOutcome =
  | { kind: 'done'; gameRoleIds: string[] }
  | { kind: 'refused'; reason: RankRefusal; retryAfterSeconds?: number };

export interface RoleChange {
  groupId: string;
  gameUserId: string;
  gameRoleId: string;
}

const membership = z.object({
  user: z.string().regex(/^users\/\d+$/),
  roles: z.array(z.string().regex(/^groups\/\d+\/roles\/\d+$/)).min(1),
});

/**
 * Gives a member of a group one more of its roles; nothing happens where they hold it. Sent once (Open Cloud, 300 a
 * minute). Throws GamePlatformUnavailable where the result is unknown.
 */
export const assignGroupRole = (change: RoleChange, signal: AbortSignal): Promise<RankOutcome> =>
  changeRole('assign', change, signal);

/** Takes one role from a member of a group; otherwise like `assignGroupRole`. */
export const unassignGroupRole = (change: RoleChange, signal: AbortSignal): Promise<RankOutcome> =>
  changeRole('unassign', change, signal);

async function changeRole(verb: 'assign' | 'unassign', change: RoleChange, signal: AbortSignal): Promise<RankOutcome> {
  const groupId = gameId.parse(change.groupId);
  const gameUserId = gameId.parse(change.gameUserId);
  const written = await writeRoblox(
    {
      endpoint: `${verb}_role`,
      path: `/cloud/v2/groups/${groupId}/memberships/${gameUserId}:${verb}Role`,
      body: { role: `groups/${groupId}/roles/${gameId.parse(change.gameRoleId)}` },
      answer: membership.refine(({ user, roles }) => isOf(change, user, roles), 'a membership not asked for'),
    },
    signal,
  );
  if (written.kind === 'answered') {
    return { kind: 'done', gameRoleIds: written.value.roles.map((role) => role.split('/').at(-1) ?? '') };
  }
  const { status, retryAfterSeconds } = written;
  const reason = reasonOf.get(status) ?? (await whatIsMissing(change));
  return { kind: 'refused', reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

const isOf = ({ groupId, gameUserId }: RoleChange, user: string, roles: readonly string[]): boolean =>
  user === `users/${gameUserId}` && roles.every((role) => role.startsWith(`groups/${groupId}/`));

/** The reason of each status. */
const reasonOf: ReadonlyMap<number, RankRefusal> = new Map([
  [401, 'key'],
  [403, 'permission'],
  [409, 'role_full'],
  [429, 'rate_limited'],
  [503, 'not_sent'],
]);

/** A 404 or 400 doesn't tell what is missing. */
async function whatIsMissing({ groupId, gameUserId }: RoleChange): Promise<RankRefusal> {
  try {
    if (await isAccountGone(gameUserId)) return 'account_gone';
    const held = await readRolesInGroup(gameUserId, groupId);
    return held.length > 0 ? 'role_unknown' : 'not_member';
  } catch (error) {
    if (error instanceof GamePlatformUnavailable) return 'unexplained';
    throw error;
  }
}
