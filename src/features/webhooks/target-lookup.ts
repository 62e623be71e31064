import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** Each name server is asked at most twice, with this time-out at first, in milliseconds. */
const patience = { timeout: 1_500, tries: 2 };

/** The name could not be resolved. The codes are the system resolver's. */
class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved';

  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN',
    hostname: string,
    options: ErrorOptions,
  ) {
    super(`${hostname} ${code === 'ENOTFOUND' ? 'has no address' : 'could not be resolved'}`, options);
  }
}

/**
 * Resolves names through its own sockets. The system's resolver would occupy one of the few threads for files and
 * cryptography while a name server is slow. The hosts file is not read.
 */
export function networkLookup(resolver: Resolver = new Resolver(patience)): LookupFunction {
  return (hostname, _options, callback) => {
    addressesOf(resolver, hostname).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

async function addressesOf(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [...asFamily(v4, 4), ...asFamily(v6, 6)];
  if (found.length > 0) return found;
  const causes = [v4, v6].flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  const isAbsent = causes.every(({ code }) => code === 'ENOTFOUND' || code === 'ENODATA');
  throw new NameNotResolved(isAbsent ? 'ENOTFOUND' : 'EAI_AGAIN', hostname, { cause: causes[0] });
}

function asFamily(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
