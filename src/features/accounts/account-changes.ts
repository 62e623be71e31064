import { Signal } from '../../lib/signal.js';

const accountChanged = new Signal<[chatUserId: string], Promise<void>>();

/**
 * Calls `listener` when a person's account changes: proved, replaced, transferred, removed, gone from Roblox, back,
 * renamed, or its Premium changed. One change may be reported more than once, and is reported again if a crash left it
 * unsettled.
 */
export const onAccountChanged = accountChanged.on;

/** Reports a changed account and waits until every listener has recorded it. */
export async function reportAccountChanged(chatUserId: string): Promise<void> {
  await Promise.all(accountChanged.emit(chatUserId));
}
