import { MongoJobRepository } from '@agendajs/mongo-backend';
import { clock } from '../../lib/clock.js';

type SaveJobState = MongoJobRepository['saveJobState'];

/**
 * Agenda's own repository with two repairs. It can be told to take no more wake-ups, since Agenda's `stop` leaves its
 * last claim locked. And every claim begins, however late: Agenda (6.2.6) drops a claim whose lock ran out before its
 * run began, as after a jump of the clock, but counts it as locked for ever, so that the job would never run again in
 * this process. So a claim has no lock time until it begins, which locks it again.
 */
export class ClaimRepository extends MongoJobRepository {
  readonly #claims = new Set<Promise<unknown>>();
  readonly #notBegun = new Set<string>();
  #isClosed = false;

  override async getNextJobToRun(...query: Parameters<MongoJobRepository['getNextJobToRun']>) {
    if (this.#isClosed) return undefined;
    const claim = super.getNextJobToRun(...query);
    this.#claims.add(claim);
    const claimed = await claim.finally(() => this.#claims.delete(claim));
    if (claimed === undefined) return undefined;
    this.#notBegun.add(String(claimed._id));
    const { lockedAt: _, ...notBegun } = claimed;
    return notBegun;
  }

  override async saveJobState(job: Parameters<SaveJobState>[0], options: Parameters<SaveJobState>[1]): Promise<void> {
    if (this.#notBegun.delete(String(job._id))) job.lockedAt = clock.machineTime();
    await super.saveJobState(job, options);
  }

  /** Takes no more wake-ups. Resolves when the last claim has been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#claims);
  }
}
