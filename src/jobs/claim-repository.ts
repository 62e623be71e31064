import { MongoJobRepository } from '@agendajs/mongo-backend';

/** Agenda's own repository, which can be told to take no more wake-ups: Agenda's `stop` leaves its last claim locked. */
export class ClaimRepository extends MongoJobRepository {
  readonly #claims = new Set<Promise<unknown>>();
  #isClosed = false;

  override async getNextJobToRun(...query: Parameters<MongoJobRepository['getNextJobToRun']>) {
    if (this.#isClosed) return undefined;
    const claim = super.getNextJobToRun(...query);
    this.#claims.add(claim);
    return claim.finally(() => this.#claims.delete(claim));
  }

  /** Takes no more wake-ups; resolves when the last claim has been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#claims);
  }
}
