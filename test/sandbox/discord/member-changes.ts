import { GuildMemberFlags } from 'discord-api-types/v10';
import { clock } from '../../../src/lib/clock.js';
import type { DiscordState } from './discord-state.js';
import type { AuditRecord, SandboxUser, StoredGuild, StoredMember } from './sandbox-model.js';
import { memberJson, userJson } from './wire.js';

export interface JoinInput {
  roleIds?: string[];
  nickname?: string;
  /** The server has rules that they have not accepted yet. */
  pending?: boolean;
  /** Discord's flags of members, such as that of a guest. */
  flags?: number;
}

/** What becomes of a member; what is left out stays as it is. */
export interface MemberChange {
  roleIds?: readonly string[];
  nickname?: string | null;
}

/** Who makes a change, and the reason that they give for the audit log. */
export interface Executor {
  readonly executorId: string;
  readonly reason: string | null;
}

/** Lets a person into the guild; the bot, if it is there, gets GUILD_MEMBER_ADD. */
export function joinGuild(state: DiscordState, guild: StoredGuild, userId: string, input: JoinInput = {}): void {
  if (guild.members.has(userId)) throw new Error(`The user ${userId} is already in the guild ${guild.id}.`);
  const roleIds = (input.roleIds ?? []).map((id) => state.role(guild.id, id).id);
  const user = state.user(userId);
  const { nickname = null, pending = false, flags = 0 } = input;
  const member: StoredMember = { userId: user.id, roleIds, nickname, pending, flags, joinedAt: clock.now() };
  guild.members.set(userId, member);
  guild.memberOrder = undefined;
  tell(state, guild, 'GUILD_MEMBER_ADD', userId, { ...memberJson(state, member), guild_id: guild.id });
}

/** The person leaves; roles and nickname are forgotten, as on Discord. */
export function leaveGuild(state: DiscordState, guild: StoredGuild, userId: string): void {
  if (userId === guild.ownerId) throw new Error(`The owner cannot leave the guild ${guild.id}.`);
  const member = state.member(guild.id, userId);
  guild.members.delete(member.userId);
  guild.memberOrder = undefined;
  tell(state, guild, 'GUILD_MEMBER_REMOVE', userId, { guild_id: guild.id, user: userJson(state.user(userId)) });
}

/** The person accepts the rules, or completes the onboarding, which gives them the roles that they chose there alone. */
export function acceptRules(
  state: DiscordState,
  guild: StoredGuild,
  member: StoredMember,
  onboarding?: { roleIds: readonly string[] },
): void {
  member.pending = false;
  if (onboarding !== undefined) {
    member.roleIds = [...onboarding.roleIds];
    member.flags = (member.flags ?? 0) | GuildMemberFlags.CompletedOnboarding;
  }
  tell(state, guild, 'GUILD_MEMBER_UPDATE', member.userId, { ...memberJson(state, member), guild_id: guild.id });
}

/** Sets a member's flags, and tells it. */
export function setFlags(state: DiscordState, guild: StoredGuild, member: StoredMember, flags: number): void {
  member.flags = flags;
  tell(state, guild, 'GUILD_MEMBER_UPDATE', member.userId, { ...memberJson(state, member), guild_id: guild.id });
}

/**
 * Makes the change: stores it, writes the audit log and notifies the gateway. A change that changes nothing leaves no
 * trace, as on Discord. The caller checks permissions.
 */
export function changeMember(
  state: DiscordState,
  guild: StoredGuild,
  member: StoredMember,
  change: MemberChange,
  by: Executor,
): void {
  const records = auditRecords(member, change, by);
  if (records.length === 0) return;
  if (change.roleIds) member.roleIds = [...change.roleIds];
  if (change.nickname !== undefined) member.nickname = change.nickname;
  guild.audit.push(...records);
  tell(state, guild, 'GUILD_MEMBER_UPDATE', member.userId, { ...memberJson(state, member), guild_id: guild.id });
}

/** The person is called otherwise, or shows another picture, in every guild that they are in. */
export function changeUser(
  state: DiscordState,
  userId: string,
  change: Partial<Pick<SandboxUser, 'username' | 'avatar'>>,
): void {
  state.users.set(userId, { ...state.user(userId), ...change });
  for (const guild of state.guilds.values()) {
    const member = guild.members.get(userId);
    if (member === undefined) continue;
    tell(state, guild, 'GUILD_MEMBER_UPDATE', userId, { ...memberJson(state, member), guild_id: guild.id });
  }
}

/** Discord writes role changes and other changes of one update into separate entries. */
function auditRecords(member: StoredMember, change: MemberChange, by: Executor): AuditRecord[] {
  const wanted = change.roleIds ?? member.roleIds;
  const rolesAdded = wanted.filter((id) => !member.roleIds.includes(id));
  const rolesRemoved = member.roleIds.filter((id) => !wanted.includes(id));
  const shared = { userId: member.userId, ...by, at: clock.now() };
  const records: AuditRecord[] = [];
  const [roleId, ...more] = [...rolesAdded, ...rolesRemoved];
  if (roleId !== undefined) {
    const single = more.length === 0 ? { roleId } : {};
    records.push({ action: 'MEMBER_ROLE_UPDATE', ...shared, ...single, changes: { rolesAdded, rolesRemoved } });
  }
  if (change.nickname !== undefined && change.nickname !== member.nickname) {
    const nickname = { from: member.nickname, to: change.nickname };
    records.push({ action: 'MEMBER_UPDATE', ...shared, changes: { rolesAdded: [], rolesRemoved: [], nickname } });
  }
  return records;
}

function tell(state: DiscordState, guild: StoredGuild, event: string, userId: string, data: unknown): void {
  if (state.hasBot(guild)) state.dispatch({ event, guildId: guild.id, userId, data });
}
