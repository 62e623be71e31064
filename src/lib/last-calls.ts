const failing = new Set<string>();

/** Notes whether the last call to a part of somebody else's service worked. */
export function noteCall(service: string, worked: boolean): void {
  if (worked) failing.delete(service);
  else failing.add(service);
}

/** The services whose last call of this process failed, in the order in which they began to fail. */
export const failingServices = (): string[] => [...failing];
