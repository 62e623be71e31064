/** Rights in a group, by Open Cloud's names in `permissions`. */
export type GroupPermission = 'changeRank' | 'acceptRequests';

export interface SandboxGameRole {
  readonly id: string;
  readonly name: string;
  /** 0 (Guest, without holders) to 255 (the owner). */
  readonly rank: number;
  /** Its holders' rights; none when left out. The owner has all. */
  readonly permissions?: readonly GroupPermission[];
}
