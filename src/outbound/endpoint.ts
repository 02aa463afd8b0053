/**
 * Decides which endpoints may be called. The person who registers a browser or a channel chooses the endpoint, and
 * must not be able to point it at the network of the server.
 *
 * The check and the request use the same parsed URL, so no unusual spelling gets around the check. The name is
 * resolved once, and the connection goes to the address that was checked, so a second DNS answer cannot replace it.
 */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../lib/public-address.ts';
import type { Resolve } from './name-resolver.ts';
import { type OnPrivateName, publicLookup } from './public-lookup.ts';

export interface AllowedEndpoint {
  readonly url: URL;
  /** The operator listed this host with its port, so it is called even if its address is private. */
  readonly mayBePrivate: boolean;
  /** The operator listed this host by its name, not by `*` or `*.host`. */
  readonly isNamed: boolean;
}

interface Entry {
  readonly host: string;
  /** `*.host`: every subdomain of the host, but not the host itself. */
  readonly isWildcard: boolean;
  readonly port: string | undefined;
}

/** In a list of hosts: every host with a public address, over https. */
const ANY_PUBLIC_HOST = '*';

/** Parses the list once. The returned function finds an endpoint that is allowed by it. */
export function compileAllowList(hosts: readonly string[]): (endpoint: string) => AllowedEndpoint | undefined {
  const entries = hosts.flatMap(parseEntry);
  const isAnyListed = hosts.includes(ANY_PUBLIC_HOST);
  return (endpoint) => {
    const url = URL.parse(endpoint);
    if (!url || !DEFAULT_PORTS.has(url.protocol) || url.username || url.password) return undefined;
    if (entries.some((entry) => matchesExactly(entry, url))) return { url, mayBePrivate: true, isNamed: true };
    const isListed = url.protocol === 'https:' && (isAnyListed || entries.some((entry) => matches(entry, url)));
    if (!isListed || isPrivateLiteral(url)) return undefined;
    const isNamed = entries.some(({ host, isWildcard }) => !isWildcard && host === url.hostname);
    return { url, mayBePrivate: false, isNamed };
  };
}

/** For the registration of a device: whether a push would be sent to this endpoint. */
export const isAllowedEndpoint = (endpoint: string, hosts: readonly string[]): boolean =>
  compileAllowList(hosts)(endpoint) !== undefined;

const DEFAULT_PORTS = new Map([
  ['http:', '80'],
  ['https:', '443'],
]);
const portOf = (url: URL) => url.port || DEFAULT_PORTS.get(url.protocol);

function parseEntry(text: string): Entry[] {
  const [, wildcard, written = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const host = URL.parse(`https://${written}`)?.hostname;
  return host ? [{ host, isWildcard: wildcard !== undefined, port }] : [];
}

const matchesExactly = ({ host, isWildcard, port }: Entry, url: URL): boolean =>
  !isWildcard && host === url.hostname && port !== undefined && Number(port) === Number(portOf(url));

function matches({ host, isWildcard, port = '443' }: Entry, url: URL): boolean {
  if (Number(port) !== Number(portOf(url))) return false;
  return isWildcard ? isSubdomain(url.hostname, host) : url.hostname === host;
}

function isSubdomain(hostname: string, host: string): boolean {
  const labels = hostname.slice(0, -host.length).split('.');
  return hostname.endsWith(`.${host}`) && labels.pop() === '' && labels.every((label) => label !== '');
}

/** An IP address in the URL is never resolved, so `publicLookup` would not check it. */
function isPrivateLiteral({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !isPublicAddress(address);
}

/** Who looks up the name of an endpoint, and whether its address may be private. */
export type LookupKind = 'trusted' | 'named' | 'other';

export function lookupKindOf({ mayBePrivate, isNamed }: AllowedEndpoint): LookupKind {
  if (mayBePrivate) return 'trusted';
  return isNamed ? 'named' : 'other';
}

/**
 * How names of each kind are looked up; undefined means Node's default. The system looks up names that the operator
 * chose, with /etc/hosts. Other names do not use the thread pool, since a stranger's name server could block it.
 */
export const lookupsByKind = (
  resolve?: Resolve,
  onPrivateName?: OnPrivateName,
): Readonly<Record<LookupKind, LookupFunction | undefined>> => ({
  trusted: undefined,
  named: publicLookup(resolve ?? lookup, onPrivateName),
  other: publicLookup(resolve, onPrivateName),
});

/** One text for one host, however it is spelled: in lower case, without a port and without the dot that may end a name. */
export function canonicalHost({ hostname }: URL): string {
  let end = hostname.length;
  while (hostname[end - 1] === '.') end -= 1;
  return hostname.slice(0, end);
}
