/**
 * Which endpoints are called at all: whoever registers a browser chooses the address, and must not
 * be able to point it at the machine's own network.
 *
 * The URL is judged as the standard's parser reads it, and the request is made from that same
 * reading, so a clever spelling has nothing to gain. The name is resolved once: the connection goes
 * to an address that was checked, not to what a second question would be answered.
 */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Undelivered } from '../undelivered.ts';
import { isPublicAddress } from './public-address.ts';

export interface AllowedEndpoint {
  readonly url: URL;
  /** Host and port are in the list, so whoever runs the service wants it called, wherever it is. */
  readonly isNamed: boolean;
}

interface Entry {
  readonly host: string;
  /** `*.host`: every host below this one, but not itself. */
  readonly isWildcard: boolean;
  readonly port: string | undefined;
}

/** Reads the list once, and returns what judges an endpoint by it. */
export function allowList(hosts: readonly string[]): (endpoint: string) => AllowedEndpoint | undefined {
  const entries = hosts.flatMap(readEntry);
  return (endpoint) => {
    const url = URL.parse(endpoint);
    if (!url || !DEFAULT_PORTS.has(url.protocol) || url.username || url.password) return undefined;
    if (entries.some((entry) => names(entry, url))) return { url, isNamed: true };
    const isListed = url.protocol === 'https:' && entries.some((entry) => covers(entry, url));
    return isListed && !isLocalLiteral(url) ? { url, isNamed: false } : undefined;
  };
}

/** For the registration of a device: whether a push to it would be tried. */
export const isAllowedEndpoint = (endpoint: string, hosts: readonly string[]): boolean =>
  allowList(hosts)(endpoint) !== undefined;

const DEFAULT_PORTS = new Map([
  ['http:', '80'],
  ['https:', '443'],
]);
const portOf = (url: URL) => url.port || DEFAULT_PORTS.get(url.protocol);

function readEntry(text: string): Entry[] {
  const [, wildcard, written = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const host = URL.parse(`https://${written}`)?.hostname;
  return host ? [{ host, isWildcard: wildcard !== undefined, port }] : [];
}

const names = ({ host, isWildcard, port }: Entry, url: URL): boolean =>
  !isWildcard && host === url.hostname && port !== undefined && Number(port) === Number(portOf(url));

function covers({ host, isWildcard, port = '443' }: Entry, url: URL): boolean {
  if (Number(port) !== Number(portOf(url))) return false;
  return isWildcard ? isBelow(url.hostname, host) : url.hostname === host;
}

function isBelow(hostname: string, host: string): boolean {
  const labels = hostname.slice(0, -host.length).split('.');
  return hostname.endsWith(`.${host}`) && labels.pop() === '' && labels.every((label) => label !== '');
}

/** An address in the URL itself is never resolved, so the guarded lookup does not see it. */
function isLocalLiteral({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && !isPublicAddress(address);
}

export type Resolve = (
  hostname: string,
  options: Parameters<LookupFunction>[1] & { all: true },
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

/** A lookup for connections that leaves out every address inside; where none is left, the endpoint is refused. */
export function publicLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses = []) => {
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (error) done(error, []);
      else if (first === undefined) done(new Undelivered({ kind: 'rejected', reason: 'endpoint_not_allowed' }), []);
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
