/**
 * Resolves host names that strangers choose. No such name can delay another, or anything else in this process, and
 * every lookup ends within LOOKUP_MS.
 *
 * `dns.lookup` cannot promise that: it runs getaddrinfo on the thread pool, two at a time and without a way to cancel
 * it, so a few names with a slow name server would delay every new connection of the process. c-ares uses no thread.
 * It reads no /etc/hosts and asks no mDNS, so hosts that the operator named belong to `dns.lookup`.
 */
import { ADDRCONFIG, getDefaultResultOrder } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLocalName } from '../lib/public-address.ts';

type Family = 4 | 6;
type Options = Parameters<LookupFunction>[1];

interface Found {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (
  hostname: string,
  options: Options & { all: true },
  done: (error: Error | null, addresses: readonly Found[]) => void,
) => void;

/** c-ares waits this long for each name server, and up to twice as long in the second round. */
const TRY_MS = 1_500;
const TRIES = 2;
/** However many name servers there are. It leaves time to connect: the callers give up after 5 seconds. */
const LOOKUP_MS = 3_500;

/** Only tests set `servers`: `address:port` of name servers to use instead of this machine's. */
export function nameResolver(servers?: readonly string[]): Resolve {
  return (hostname, options, done) => {
    findAddresses(hostname, options, servers).then(
      (addresses) => done(null, addresses),
      (error: Error) => done(error, []),
    );
  };
}

async function findAddresses(hostname: string, options: Options, servers?: readonly string[]): Promise<Found[]> {
  // Public name servers do not know these names, and local ones answer with private addresses.
  if (isLocalName(hostname)) return [];
  // A resolver of its own, at 40 µs, so that a lookup can be cancelled alone and sees the present /etc/resolv.conf. A
  // shared one would also derive its timeouts from other names, and give up on a slow one after many fast ones.
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), LOOKUP_MS);
  const answers = await Promise.allSettled(
    wantedFamilies(options).map((family) => findOfFamily(resolver, hostname, family)),
  );
  clearTimeout(timer);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  throw lookupError(
    hostname,
    answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])),
  );
}

async function findOfFamily(resolver: Resolver, hostname: string, family: Family): Promise<Found[]> {
  const addresses = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
  return addresses.map((address) => ({ address, family }));
}

/**
 * IPv4 first, where getaddrinfo sorts by what the machine can reach: connections try both families in turn, and the
 * error of the first address is the one that people read.
 */
function wantedFamilies({ family, hints = 0, order = getDefaultResultOrder() }: Options): readonly Family[] {
  if (family === 4 || family === 'IPv4') return [4];
  if (family === 6 || family === 'IPv6') return [6];
  const both: readonly Family[] = order === 'ipv6first' ? [6, 4] : [4, 6];
  if ((hints & ADDRCONFIG) === 0) return both;
  const own = ownFamilies();
  const usable = both.filter((one) => own.has(one));
  return usable.length > 0 ? usable : both;
}

/** The address families of this machine, without loopback and link-local addresses. */
function ownFamilies(): ReadonlySet<Family> {
  try {
    const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
    const routed = addresses.filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address));
    return new Set(routed.map(({ family }) => (family === 'IPv4' ? 4 : 6)));
  } catch {
    // Under systemd's RestrictAddressFamilies without AF_NETLINK the interfaces cannot be listed.
    return new Set();
  }
}

/** The name server has answered, and the name has no address. Any other failure may pass. */
const FINAL = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/** With the codes of `dns.lookup`, which the callers have sentences for. */
function lookupError(hostname: string, errors: readonly NodeJS.ErrnoException[]): Error {
  const passing = errors.find(({ code = '' }) => !FINAL.has(code));
  if (!passing) return unknownName(hostname, errors[0]);
  return Object.assign(new Error(`lookup EAI_AGAIN ${hostname}`, { cause: passing }), { code: 'EAI_AGAIN', hostname });
}

/** The error for a name without an address. */
export function unknownName(hostname: string, cause?: Error): Error {
  const error = new Error(`lookup ENOTFOUND ${hostname}`, { cause });
  return Object.assign(error, { code: 'ENOTFOUND', hostname });
}
