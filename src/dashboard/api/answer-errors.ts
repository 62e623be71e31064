import type { Schemas } from '../../client/api-types.js';

type Problem = Schemas['Problem'];

/** The service answered with a problem document. */
export class Refusal extends Error {
  readonly code: string;
  readonly problem: Partial<Problem>;

  constructor(
    readonly status: number,
    problem: Partial<Problem>,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(problem.detail ?? `HTTP ${status}`);
    this.code = problem.code ?? 'unknown';
    this.problem = problem;
  }
}

/** No answer: the service or the network is down. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('unreachable', { cause });
  }
}
