import ipaddr from 'ipaddr.js';
import type { Context, Next } from 'koa';
import { InvalidRequest } from '../../lib/errors.js';

/** The first 64 bits of an IPv6 address name a customer, who has all the others to choose from (RFC 6177). */
const customerBits = 64;

/** An address without the port that some proxies write behind it: `ip:port`, `[v6]:port` and `[v6]`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*:[^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}

/** What limits count of an IP address (API-40): IPv4 as it is, IPv6 by its /64. A text that is none stays as it is. */
export function countedAddress(forwarded: string): string {
  const address = withoutPort(forwarded);
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${ip.toString()}/${customerBits}`).toString()}/${customerBits}`;
}

/**
 * Refuses a request whose X-Forwarded-For holds something else than IP addresses where our proxies write: limits would
 * count whatever stands there. Without proxies (`TRUST_PROXY` 0) the header is nobody's business.
 */
export function requireAddresses(ctx: Context, next: Next): Promise<void> {
  if (ctx.ips.every((address) => ipaddr.isValid(withoutPort(address)))) return next();
  throw new InvalidRequest([{ path: 'headers.x-forwarded-for', message: 'must hold IP addresses' }]);
}
