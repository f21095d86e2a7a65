/** Which addresses a link may lead to: those of the public internet, and no service of the machine or its network. */

import ipaddr from 'ipaddr.js';

/** Public by its number, and answered by the host of the machine: Azure's own services. */
const servicesOfHosts: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether this is an address of the public internet, so that neither private, loopback, link-local nor
 * metadata services are behind it. Addresses that carry another one inside (mapped, 6to4, NAT64, Teredo) are none.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || servicesOfHosts.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // What is not given to anybody yet, e.g. `::127.0.0.1` of old, is not public either.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** The address that a host is written as, in brackets or not; absent: it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : undefined;
}
