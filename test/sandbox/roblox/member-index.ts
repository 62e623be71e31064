import type { SandboxGameRole } from './game-role.js';

/** A person's membership in one group; `order` grows with each join and is the place in every list. */
export interface GroupMember {
  readonly userId: string;
  readonly order: number;
  readonly joinedAt: Date;
  updatedAt: Date;
  /** Highest rank first; never empty. */
  roles: readonly SandboxGameRole[];
}

export interface MemberPageRequest {
  /** The `order` that the page begins after; from the list's start when left out. */
  after?: number | undefined;
  limit: number;
  descending?: boolean;
}

/** Members sorted by `order`, paged by binary search: a page in a group with 100,000 costs what a page costs. */
export class MemberIndex {
  readonly #members: GroupMember[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: GroupMember): void {
    this.#members.splice(this.#firstAtOrAfter(member.order), 0, member);
  }

  remove(member: GroupMember): void {
    const at = this.#firstAtOrAfter(member.order);
    if (this.#members[at] === member) this.#members.splice(at, 1);
  }

  /** At most `limit` members beyond `after`, and whether more follow. */
  page({ after, limit, descending = false }: MemberPageRequest): { members: GroupMember[]; more: boolean } {
    if (descending) {
      const end = after === undefined ? this.size : this.#firstAtOrAfter(after);
      const start = Math.max(0, end - limit);
      return { members: this.#members.slice(start, end).reverse(), more: start > 0 };
    }
    const start = after === undefined ? 0 : this.#firstAtOrAfter(after + 1);
    return { members: this.#members.slice(start, start + limit), more: start + limit < this.size };
  }

  #firstAtOrAfter(order: number): number {
    let low = 0;
    let high = this.#members.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.#members[middle];
      if (candidate && candidate.order < order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
