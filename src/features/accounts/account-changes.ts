import { Signal } from '../../lib/signal.js';

const accountChanged = new Signal<[chatUserId: string], Promise<void>>();

/**
 * Calls `listener` when somebody's account has changed: it was proved, replaced, transferred or removed, is gone from
 * Roblox or back, has another name there, or Premium. It may come more than once, and comes again after a crash that left
 * the change unsettled.
 */
export const onAccountChanged = accountChanged.on;

/** Tells that the account of a person has changed, and waits until whoever listens has noted it. */
export async function tellAccountChanged(chatUserId: string): Promise<void> {
  await Promise.all(accountChanged.emit(chatUserId));
}
