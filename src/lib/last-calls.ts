import { Signal } from './signal.js';

const failing = new Set<string>();

const serviceBack = new Signal<[service: string]>();

/**
 * Calls `listener` with a service that answers again. The returned function stops that. The listener must not throw.
 */
export const onServiceBack = serviceBack.on;

export function noteCall(service: string, worked: boolean): void {
  if (!worked) failing.add(service);
  else if (failing.delete(service)) serviceBack.emit(service);
}

/** The services with a failed last call in this process, the earliest first failure first. */
export const failingServices = (): string[] => [...failing];
