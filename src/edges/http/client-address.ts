import ipaddr from 'ipaddr.js';
import type { Context, Next } from 'koa';
import { InvalidRequest } from '../../lib/errors.js';

/** An IPv6 address's first 64 bits identify a customer with control over all remaining bits (RFC 6177). */
const customerBits = 64;

/** An address without the port that some proxies append: `ip:port`, `[v6]:port` and `[v6]`. */
function withoutPort(address: string): string {
  const [, v6, v4] = /^(?:\[([^\]]*:[^\]]*)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}

/**
 * The part of an IP address used for limits (API-40): IPv4 unchanged, IPv6 as its /64. Any other text stays unchanged.
 */
export function countedAddress(forwarded: string): string {
  const address = withoutPort(forwarded);
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${ip.toString()}/${customerBits}`).toString()}/${customerBits}`;
}

/**
 * Rejects a request with a non-address where our proxies write X-Forwarded-For, since limits would count that text.
 * Without proxies (`TRUST_PROXY` 0), the header is ignored.
 */
export function requireAddresses(ctx: Context, next: Next): Promise<void> {
  if (ctx.ips.every((address) => ipaddr.isValid(withoutPort(address)))) return next();
  throw new InvalidRequest([{ path: 'headers.x-forwarded-for', message: 'must hold IP addresses' }]);
}
