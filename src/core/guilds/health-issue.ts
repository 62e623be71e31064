/** One thing that will stop a sync, in a sentence that says what to do about it. */
export interface HealthIssue {
  code: string;
  detail: string;
  roleId?: string;
}
