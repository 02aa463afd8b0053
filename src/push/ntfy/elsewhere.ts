/** Whether a server is on another machine than this one. */
import { lookup } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isOwnMachine } from '../../lib/public-address.ts';
import { hostOf } from '../../lib/server-of.ts';
import { nameResolver, type Resolve } from '../../outbound/name-resolver.ts';

/** Only the operator's own names may be in /etc/hosts; those of strangers must not delay others. */
export const resolverFor = (isOperators: boolean): Resolve => (isOperators ? lookup : nameResolver());

const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));

/** A host as `hostOf` writes it. Where a machine asks itself for its name, the answer may be any address of 127.0.0.0/8. */
const isOwn = (host: string, own: ReadonlySet<string>): boolean =>
  isOwnMachine(host) || host === '0.0.0.0' || host === '[::]' || own.has(host.replaceAll(/[[\]]/g, ''));

/** By its name alone: whether it may be elsewhere. */
export const mayBeElsewhere = (server: string, ownHost: string): boolean =>
  hostOf(server) !== ownHost && !isOwn(hostOf(server), ownAddresses());

/** By its address: a name of this machine is no other machine. A name that cannot be resolved is not called anyway. */
export async function isHere(server: string, resolve: Resolve): Promise<boolean> {
  const own = ownAddresses();
  const host = hostOf(server);
  if (isIP(host) !== 0 || host.startsWith('[')) return isOwn(host, own);
  const { promise, resolve: found } = Promise.withResolvers<readonly string[]>();
  resolve(host, { all: true }, (_error, addresses = []) => found(addresses.map(({ address }) => address)));
  const toHost = (address: string) => hostOf(`http://${isIPv6(address) ? `[${address}]` : address}`);
  return (await promise).some((address) => isOwn(toHost(address), own));
}
