import ipaddr from 'ipaddr.js';

/**
 * Addresses where clouds give a machine its own keys. Most lie in ranges that are refused anyway; these lie among
 * private or public addresses: AWS and Google over IPv6, Alibaba, and Azure's host.
 */
const metadataServices = ['fd00:ec2::254', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'].map((address) =>
  ipaddr.process(address),
);

/** Global unicast in IPv6 (RFC 4291 §2.4, IANA). Everything else leads inwards, or hides an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Ranges of this machine and its networks, which development may reach. */
const privateRanges = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/**
 * Whether deliveries may go to an IP address (HOOK-22): a public one; with `allowPrivate` also this machine's or a
 * private network's. Never link-local addresses and other addresses of metadata services, multicast, reserved ranges,
 * or IPv6 that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo). A text that is no IP address is
 * refused.
 */
export function mayBeDeliveredTo(address: string, { allowPrivate }: { allowPrivate: boolean }): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.parse(address);
  if (metadataServices.some((service) => service.toString() === ip.toString())) return false;
  const range = ip.range();
  if (allowPrivate && privateRanges.includes(range)) return true;
  return range === 'unicast' && (ip.kind() === 'ipv4' || ip.match(globalUnicast));
}
