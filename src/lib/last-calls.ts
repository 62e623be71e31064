import { Signal } from './signal.js';

const failing = new Set<string>();

const serviceBack = new Signal<[service: string]>();

/** Calls `listener` with a service that answers again, until the function given back is called. It must not throw. */
export const onServiceBack = serviceBack.on;

/** Notes whether the last call to a part of somebody else's service worked. */
export function noteCall(service: string, worked: boolean): void {
  if (!worked) failing.add(service);
  else if (failing.delete(service)) serviceBack.emit(service);
}

/** The services whose last call of this process failed, in the order in which they began to fail. */
export const failingServices = (): string[] => [...failing];
