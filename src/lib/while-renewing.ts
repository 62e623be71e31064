import { logger } from './logger.js';

/** How a claim is kept: `renew` is repeated at this interval. */
interface Renewal {
  everyMs: number;
  renew(): Promise<unknown>;
}

/** Does work under a claim that is renewed until the work has ended. A failed renewal is logged and tried again. */
export async function whileRenewing<T>({ everyMs, renew }: Renewal, work: () => Promise<T>): Promise<T> {
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renewal.then(renew).catch((err: unknown) => logger.warn({ err }, 'claim not renewed'));
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // One that arrives after the end would claim the work again.
    await renewal;
  }
}
