import { roleFromDiscord } from '../../core/access/guild-access.js';
import { withTeamLease } from '../../core/access/team-lease.js';
import { type Teammate, Teammates } from '../../core/access/teammate-model.js';
import { findTeammate } from '../../core/access/teammate-service.js';
import type { Actor } from '../../core/actors/actor.js';
import { type GrantableRole, highestRole, holds } from '../../core/actors/team-roles.js';
import { enterLog, type NewEntry, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { ChatPlatformUnavailable, Conflict, Forbidden, InvalidRequest, NotFound } from '../../lib/errors.js';
import { type ChatUser, readChatUser } from '../../platforms/discord/chat-user.js';
import { push } from '../../platforms/events/outbox.js';
import { revokeTokensAbove } from '../tokens/token-revocation.js';
import { actorNow } from '../tokens/token-standing.js';
import { requireMayChange, requireMayGrant, requireNotOwner } from './team-rules.js';
import { type ListedTeammate, withDiscord } from './teammate-view.js';

/**
 * Invites a person to a guild's team. Throws Forbidden for a role that the actor may not give and for oneself. Throws
 * InvalidRequest for a bot or a person unknown to Discord, Conflict `teammate_exists` and `discord_owner`, and
 * ChatPlatformUnavailable.
 */
export async function inviteTeammate(
  guild: Guild,
  actor: Actor,
  { chatUserId, role }: { chatUserId: string; role: GrantableRole },
): Promise<ListedTeammate> {
  requireMayGrant(actor, role);
  requireNotOwner(guild, chatUserId);
  if (isSelf(actor, chatUserId)) throw new Forbidden('forbidden', "You can't invite yourself.");
  const [{ username }, fromDiscord] = await Promise.all([
    readInvitee(chatUserId),
    confirmedByDiscord(guild, chatUserId),
  ]);
  const guildId = guild._id;
  return withTeamLease(guildId, async () => {
    // Reading from Discord takes time, in which the actor may have lost their role.
    requireMayGrant(await actorNow(actor, guild), role);
    if ((await findTeammate(guildId, chatUserId)) !== null) {
      throw new Conflict(
        'teammate_exists',
        'This person is already in the team or invited. Change their role instead.',
      );
    }
    const invitation = { state: 'invited' as const, invitedBy: actor.id, invitedAt: clock.now() };
    const teammate: Teammate = { guildId, chatUserId, username, role, ...invitation };
    const entry = entryOf(actor, 'teammate.invited', teammate, { from: null, to: role });
    await Teammates.insert({ ...teammate, outbox: [entry] });
    await enterLog(entry);
    return withDiscord(teammate, fromDiscord);
  });
}

/**
 * Gives a teammate another role, and revokes their bot tokens above it. Throws NotFound `teammate_not_found`, Forbidden
 * when the actor may not take the old or give the new role, Conflict `discord_owner` and `role_from_discord`.
 */
export async function changeTeammate(
  guild: Guild,
  actor: Actor,
  chatUserId: string,
  role: GrantableRole,
): Promise<ListedTeammate> {
  requireMayGrant(actor, role);
  requireNotOwner(guild, chatUserId);
  const fromDiscord = await confirmedByDiscord(guild, chatUserId);
  return withTeamLease(guild._id, async () => {
    const before = await requireTeammate(guild, chatUserId, fromDiscord);
    const now = await actorNow(actor, guild);
    requireMayGrant(now, role);
    requireMayChange(now, withDiscord(before, fromDiscord).role);
    if (before.role === role) return withDiscord(before, fromDiscord);
    const entry = entryOf(actor, 'teammate.changed', before, { from: before.role, to: role });
    const after = await Teammates.update({ guildId: guild._id, chatUserId }, { $set: { role }, ...push(entry) });
    if (after === null) throw teammateNotFound();
    await enterLog(entry);
    await revokeTokensAbove(guild._id, chatUserId, highestRole([role, fromDiscord]), actor);
    return withDiscord(after, fromDiscord);
  });
}

/**
 * Removes a teammate or an invitation, and revokes their bot tokens. All may remove themselves; removing others
 * requires `admin`. Throws as `changeTeammate` does.
 */
export async function removeTeammate(guild: Guild, actor: Actor, chatUserId: string): Promise<void> {
  if (!isSelf(actor, chatUserId) && !holds(actor.role, 'admin')) {
    throw new Forbidden('forbidden', `Only admins can remove others. Your role is ${actor.role}.`);
  }
  requireNotOwner(guild, chatUserId);
  const fromDiscord = await confirmedByDiscord(guild, chatUserId);
  await withTeamLease(guild._id, async () => {
    const before = await requireTeammate(guild, chatUserId, fromDiscord);
    if (!isSelf(actor, chatUserId)) {
      requireMayChange(await actorNow(actor, guild), withDiscord(before, fromDiscord).role);
    }
    const entry = entryOf(actor, 'teammate.removed', before, { from: before.role, to: null });
    if ((await Teammates.remove({ guildId: guild._id, chatUserId }, entry)) === null) throw teammateNotFound();
    await enterLog(entry);
    await revokeTokensAbove(guild._id, chatUserId, fromDiscord, actor);
  });
}

const isSelf = (actor: Actor, chatUserId: string): boolean => actor.kind === 'user' && actor.id === chatUserId;

async function readInvitee(chatUserId: string): Promise<ChatUser> {
  const user = await readChatUser(chatUserId);
  if (user !== null && !user.bot) return user;
  const message = user === null ? 'is nobody on Discord' : 'is a bot: make a token for it instead';
  throw new InvalidRequest([{ path: 'chatUserId', message }]);
}

/**
 * A person's role by Discord's permissions. If Discord doesn't answer, they count as having none, so that an outage
 * blocks no removal.
 */
async function confirmedByDiscord(guild: Guild, chatUserId: string): Promise<'admin' | null> {
  try {
    return await roleFromDiscord(chatUserId, guild);
  } catch (error) {
    if (error instanceof ChatPlatformUnavailable) return null;
    throw error;
  }
}

async function requireTeammate(guild: Guild, chatUserId: string, fromDiscord: 'admin' | null): Promise<Teammate> {
  const teammate = await findTeammate(guild._id, chatUserId);
  if (teammate !== null) return teammate;
  if (fromDiscord === null) throw teammateNotFound();
  throw new Conflict(
    'role_from_discord',
    'This person is an admin because they have Manage Server on Discord. Change their roles there, or turn off trustDiscordAdmins.',
  );
}

const teammateNotFound = (): NotFound => new NotFound('teammate_not_found', "This person isn't in the team.");

function entryOf(
  actor: Actor,
  action: 'teammate.invited' | 'teammate.changed' | 'teammate.removed',
  { guildId, chatUserId: id, username: name }: Teammate,
  role: { from: GrantableRole | null; to: GrantableRole | null },
): NewEntry {
  return newEntry({ guildId, actor, action, target: { kind: 'teammate', id, name }, changes: { role } });
}
