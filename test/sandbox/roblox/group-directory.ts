import { GameGroup, type NewGameGroup } from './game-group.js';

/** All groups, and for each user the groups that they are in. */
export class GroupDirectory {
  readonly #byId = new Map<string, GameGroup>();
  readonly #byUser = new Map<string, Set<GameGroup>>();

  add(input: NewGameGroup): GameGroup {
    const group = new GameGroup(input);
    this.#byId.set(group.id, group);
    const highest = group.roles.at(-1);
    if (group.ownerId && highest) this.setRoles(group.id, group.ownerId, [highest.id]);
    return group;
  }

  remove(groupId: string): void {
    const group = this.get(groupId);
    for (const userId of group.memberIds()) this.#byUser.get(userId)?.delete(group);
    this.#byId.delete(groupId);
  }

  find(groupId: string): GameGroup | undefined {
    return this.#byId.get(groupId);
  }

  /** Throws when there is no such group. */
  get(groupId: string): GameGroup {
    const group = this.#byId.get(groupId);
    if (!group) throw new Error(`There is no Roblox group ${groupId}.`);
    return group;
  }

  list(): GameGroup[] {
    return [...this.#byId.values()];
  }

  /** Groups whose name begins like this, an exact match first (names compare without case). */
  search(name: string): GameGroup[] {
    const wanted = name.toLowerCase();
    const matches = this.list().filter((group) => group.name.toLowerCase().startsWith(wanted));
    return matches.sort((a, b) => a.name.length - b.name.length);
  }

  groupsOf(userId: string): GameGroup[] {
    return [...(this.#byUser.get(userId) ?? [])];
  }

  setRoles(groupId: string, userId: string, roleIds: readonly string[], actorId?: string): void {
    const group = this.get(groupId);
    group.setRoles(userId, roleIds, actorId);
    this.#remember(userId, group);
  }

  setRank(groupId: string, userId: string, rank: number): void {
    const group = this.get(groupId);
    group.setRank(userId, rank);
    this.#remember(userId, group);
  }

  leave(groupId: string, userId: string): void {
    const group = this.get(groupId);
    group.leave(userId);
    this.#byUser.get(userId)?.delete(group);
  }

  #remember(userId: string, group: GameGroup): void {
    const groups = this.#byUser.get(userId) ?? new Set();
    groups.add(group);
    this.#byUser.set(userId, groups);
  }
}
