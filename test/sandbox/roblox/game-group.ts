import { clock } from '../../../src/lib/clock.js';
import { nextGameId } from './game-ids.js';
import type { GroupPermission, SandboxGameRole } from './game-role.js';
import { GroupLog } from './group-log.js';
import { type GroupMember, MemberIndex } from './member-index.js';

/** A Roblox group as tests see it; the object always shows the present state. */
export interface SandboxGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly ownerId: string | undefined;
  readonly createdAt: Date;
  /** Lowest rank first. */
  readonly roles: readonly SandboxGameRole[];
}

export interface NewGameGroup {
  name: string;
  description?: string | undefined;
  ownerId?: string | undefined;
  /** Guest 0, Member 1, Officer 100 and Owner 255 when left out. */
  roles?: NewGameRole[] | undefined;
}

export interface NewGameRole {
  name: string;
  rank: number;
  permissions?: readonly GroupPermission[];
}

const defaultRoles = [
  { name: 'Guest', rank: 0 },
  { name: 'Member', rank: 1 },
  { name: 'Officer', rank: 100 },
  { name: 'Owner', rank: 255 },
];

/** One group with its roles and members. A member can hold several roles (Roblox, spring 2026). */
export class GameGroup implements SandboxGroup {
  readonly id = nextGameId();
  readonly name: string;
  readonly description: string;
  readonly ownerId: string | undefined;
  readonly createdAt = clock.now();
  readonly roles: SandboxGameRole[] = [];
  readonly log = new GroupLog();
  /** The people asking to join, with their time; the oldest first. */
  readonly joinRequests = new Map<string, Date>();
  readonly #members = new Map<string, GroupMember>();
  readonly #all = new MemberIndex();
  readonly #byRole = new Map<string, MemberIndex>();
  #joins = 0;

  constructor(input: NewGameGroup) {
    this.name = input.name;
    this.description = input.description ?? '';
    this.ownerId = input.ownerId;
    for (const role of input.roles ?? defaultRoles) this.addRole(role);
  }

  get memberCount(): number {
    return this.#members.size;
  }

  /** Throws on a rank outside 0–255. */
  addRole({ name, rank, permissions }: NewGameRole): SandboxGameRole {
    if (!Number.isInteger(rank) || rank < 0 || rank > 255) throw new Error(`${rank} is not a rank from 0 to 255.`);
    const role = { id: nextGameId(), name, rank, ...(permissions && { permissions }) };
    this.roles.push(role);
    this.roles.sort((a, b) => a.rank - b.rank);
    this.#byRole.set(role.id, new MemberIndex());
    return role;
  }

  renameRole(roleId: string, name: string): void {
    const at = this.roles.findIndex(({ id }) => id === roleId);
    const role = this.roles[at];
    if (role === undefined) return;
    this.roles[at] = { ...role, name };
    const isRenamed = (member: GroupMember) => holds(member, roleId);
    for (const member of [...this.#members.values()].filter(isRenamed))
      member.roles = member.roles.map((held) => (held.id === roleId ? { ...held, name } : held));
  }

  /** Deletes a role. Its holders keep their other roles, or get the lowest. */
  removeRole(roleId: string): void {
    const lowest = this.roles.find(({ id, rank }) => rank > 0 && id !== roleId);
    for (const { userId, roles } of [...this.#members.values()].filter((member) => holds(member, roleId))) {
      const others = roles.flatMap(({ id }) => (id === roleId ? [] : id));
      if (lowest) this.setRoles(userId, others.length > 0 ? others : [lowest.id]);
    }
    this.roles.splice(
      this.roles.findIndex(({ id }) => id === roleId),
      1,
    );
    this.#byRole.delete(roleId);
  }

  findRole(roleId: string): SandboxGameRole | undefined {
    return this.roles.find((role) => role.id === roleId);
  }

  findMember(userId: string): GroupMember | undefined {
    return this.#members.get(userId);
  }

  /** The members in joining order, or only those that hold `roleId`. */
  members(roleId?: string): MemberIndex {
    return roleId === undefined ? this.#all : (this.#byRole.get(roleId) ?? new MemberIndex());
  }

  /** An account's permissions here; the owner has all. */
  permissionsOf(userId: string): readonly GroupPermission[] {
    if (userId === this.ownerId) return ['changeRank', 'acceptRequests'];
    return this.findMember(userId)?.roles.flatMap(({ permissions = [] }) => permissions) ?? [];
  }

  /** An account's highest rank here; 0 outside the group. */
  rankOf(userId: string): number {
    return this.findMember(userId)?.roles[0]?.rank ?? 0;
  }

  /**
   * Gives exactly these roles and lets the person join if needed. Throws on a foreign role, on Guest and on none.
   * `actorId` is the account that did it by Open Cloud.
   */
  setRoles(userId: string, roleIds: readonly string[], actorId?: string): void {
    const roles = this.#heldRoles(roleIds);
    const member = this.#members.get(userId) ?? this.#join(userId);
    // Whoever joins has the lowest role without its own line.
    const before = member.roles.length > 0 ? member.roles : roles.slice(-1);
    this.log.noteRoles(userId, before, roles, actorId);
    for (const role of member.roles) this.#byRole.get(role.id)?.remove(member);
    for (const role of roles) this.#byRole.get(role.id)?.add(member);
    member.roles = roles;
    member.updatedAt = clock.now();
  }

  /** Gives exactly the roles that have this rank. Throws when none has. */
  setRank(userId: string, rank: number): void {
    const roles = this.roles.filter((role) => role.rank === rank);
    if (roles.length === 0) throw new Error(`The group ${this.name} has no role of rank ${rank}.`);
    this.setRoles(
      userId,
      roles.map((role) => role.id),
    );
  }

  leave(userId: string): void {
    const member = this.#members.get(userId);
    if (!member) return;
    this.#members.delete(userId);
    this.#all.remove(member);
    for (const role of member.roles) this.#byRole.get(role.id)?.remove(member);
    this.log.note('LeaveGroup', userId);
  }

  memberIds(): Iterable<string> {
    return this.#members.keys();
  }

  #join(userId: string): GroupMember {
    this.#joins += 1;
    const now = clock.now();
    const member: GroupMember = { userId, order: this.#joins, joinedAt: now, updatedAt: now, roles: [] };
    this.#members.set(userId, member);
    this.#all.add(member);
    this.log.note('JoinGroup', userId);
    return member;
  }

  #heldRoles(roleIds: readonly string[]): SandboxGameRole[] {
    if (roleIds.length === 0) throw new Error('A member holds at least one role; let them leave the group instead.');
    const roles = [...new Set(roleIds)].map((roleId) => {
      const role = this.findRole(roleId);
      if (!role) throw new Error(`The group ${this.name} has no role ${roleId}.`);
      if (role.rank === 0) throw new Error('Nobody holds Guest (rank 0); let them leave the group instead.');
      return role;
    });
    return roles.sort((a, b) => b.rank - a.rank);
  }
}

const holds = ({ roles }: GroupMember, roleId: string): boolean => roles.some(({ id }) => id === roleId);
