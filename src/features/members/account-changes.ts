type Listener = (chatUserId: string) => Promise<void>;

const listeners = new Set<Listener>();

/**
 * Calls `listener` when somebody's account has changed: it was proved, replaced, transferred or removed, is gone from
 * Roblox or back, has another name there, or Premium. It may come more than once, and comes again after a crash that left
 * the change unsettled.
 */
export function onAccountChanged(listener: Listener): void {
  listeners.add(listener);
}

/** Tells that the account of a person has changed, and waits until whoever listens has noted it. */
export async function tellAccountChanged(chatUserId: string): Promise<void> {
  for (const listener of listeners) await listener(chatUserId);
}
