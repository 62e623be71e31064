/** Rights in a group, by the names of Open Cloud's `permissions`. */
export type GroupPermission = 'changeRank' | 'acceptRequests';

export interface SandboxGameRole {
  readonly id: string;
  readonly name: string;
  /** 0 (Guest, without holders) to 255 (the owner). */
  readonly rank: number;
  /** The rights of its holders; none when left out. The owner has all. */
  readonly permissions?: readonly GroupPermission[];
}
