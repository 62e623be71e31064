export interface SandboxGameRole {
  readonly id: string;
  readonly name: string;
  /** 0 (Guest, held by nobody) to 255 (the owner). */
  readonly rank: number;
}
