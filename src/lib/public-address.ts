/** Distinguishes public addresses from those of this machine and its local networks. Pure. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** IANA's special-purpose registry: this host, private, carrier-grade NAT, loopback, link-local, test, multicast, reserved. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Special networks inside the global range: protocol assignments including Teredo, documentation, 6to4. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');
// NAT64: a network without IPv4 reaches every IPv4 address through this prefix.
globalIpv6.addSubnet('64:ff9b::', 96, 'ipv6');
for (const [network, bits] of SPECIAL_IPV6) special.addSubnet(network, bits, 'ipv6');
for (const [network, bits] of SPECIAL_IPV4) {
  special.addSubnet(network, bits, 'ipv4');
  special.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6');
}

/** False for a text that is not an address, and for an address with a zone, which is always local. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/**
 * Names that only a home or office network resolves: a single label, or below a suffix that public DNS does not delegate.
 * The suffix is reserved (RFC 6761, 6762 and its appendix G, 8375; ICANN for `internal`), or withheld because so many
 * networks use it. `svc` is where Kubernetes has its services. Nobody can register a name below any of them.
 */
const LOCAL_NAME =
  /^[^.]+$|\.(localhost|local|localdomain|lan|home|home\.arpa|internal|intranet|private|corp|svc|test)$/;

/** Whether this host name of a URL always means the machine on which it is used. */
export const isOwnMachine = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);

/** Whether this host name of a URL means nothing outside of the network on which it is used. */
export const isLocalName = (hostname: string): boolean => LOCAL_NAME.test(hostname.replace(/\.$/, ''));

/** Whether strangers can reach the host of this URL. A name counts as public unless it can only be a local one. */
export function isPublicUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? !isLocalName(host) : isPublicAddress(host);
}
