export interface SandboxGameRole {
  readonly id: string;
  readonly name: string;
  /** 0 (Guest, without holders) to 255 (the owner). */
  readonly rank: number;
}
