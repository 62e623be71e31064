import { clock } from '../../../src/lib/clock.js';
import type { SandboxGameRole } from './game-role.js';

type LoggedAction =
  | 'JoinGroup'
  | 'LeaveGroup'
  | 'ChangeRank'
  | 'AssignRole'
  | 'UnassignRole'
  | 'AcceptJoinRequest'
  | 'DeclineJoinRequest';

/** One line in a group's own log. */
export interface LogLine {
  /** Counts up within the group. */
  order: number;
  at: Date;
  action: LoggedAction;
  /** Whom it is about: who came or left, else whom an officer has ranked. */
  userId: string;
  /** The account that has done it by Open Cloud; otherwise the owner, or the person. */
  actorId: string | undefined;
  /** The role that was taken, and the one that was given. */
  roles: readonly [former: SandboxGameRole | undefined, given: SandboxGameRole | undefined];
}

/** What a group has noted about its members, oldest first, and whether the API key's owner may see it. */
export class GroupLog {
  isVisible = false;
  #lines: LogLine[] = [];
  #order = 0;

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  note(
    action: LoggedAction,
    userId: string,
    roles: LogLine['roles'] = [undefined, undefined],
    actorId: string | undefined = undefined,
  ): void {
    this.#order += 1;
    this.#lines.push({ order: this.#order, at: clock.now(), action, userId, roles, actorId });
  }

  /** Notes a change to a person's roles. */
  noteRoles(
    userId: string,
    before: readonly SandboxGameRole[],
    now: readonly SandboxGameRole[],
    actorId?: string,
  ): void {
    const taken = before.filter((role) => !now.includes(role));
    const given = now.filter((role) => !before.includes(role));
    if (taken.length === 1 && given.length === 1) {
      this.note('ChangeRank', userId, [taken[0], given[0]], actorId);
      return;
    }
    for (const role of given) this.note('AssignRole', userId, [undefined, role], actorId);
    for (const role of taken) this.note('UnassignRole', userId, [role, undefined], actorId);
  }

  /** The lines so far are lost, as if nothing there had happened. */
  forget(): void {
    this.#lines = [];
  }
}
