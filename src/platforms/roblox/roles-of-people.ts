import type { HeldRoles } from './held-roles.js';

/**
 * Many people's roles in these groups, by gameUserId; roles in other groups are dropped. Equal roles share one object,
 * so a large guild needs memory only for its few different role sets.
 */
export class RolesOfPeople extends Map<string, HeldRoles> {
  readonly #shared = new Map<string, HeldRoles>();

  constructor(readonly groupIds: readonly string[]) {
    super();
  }

  override set(gameUserId: string, held: HeldRoles): this {
    const parts = this.groupIds.flatMap((groupId) => {
      const roles = held.get(groupId);
      return roles === undefined ? [] : [{ groupId, roles: [...roles] }];
    });
    const key = parts.map(({ groupId, roles }) => `${groupId}:${roles.map(idOf).sort().join()}`).join(' ');
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      shared = new Map(parts.map(({ groupId, roles }) => [groupId, roles]));
      this.#shared.set(key, shared);
    }
    return super.set(gameUserId, shared);
  }
}

const idOf = (role: string | { gameRoleId: string }): string => (typeof role === 'string' ? role : role.gameRoleId);
