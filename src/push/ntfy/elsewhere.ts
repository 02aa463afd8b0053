/** Whether a server is on another machine than this one. */
import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isOwnMachine } from '../../lib/public-address.ts';
import { hostOf } from '../../lib/server-of.ts';

type LookUp = (host: string) => Promise<readonly string[]>;

const lookUpAll: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));

/** A host as `hostOf` writes it. Where a machine asks itself for its name, the answer may be any address of 127.0.0.0/8. */
const isOwn = (host: string, own: ReadonlySet<string>): boolean =>
  isOwnMachine(host) || host === '0.0.0.0' || host === '[::]' || own.has(host.replaceAll(/[[\]]/g, ''));

/** By its name alone: whether it may be elsewhere. */
export const mayBeElsewhere = (server: string, ownHost: string): boolean =>
  hostOf(server) !== ownHost && !isOwn(hostOf(server), ownAddresses());

/** By its address: a name of this machine is no other machine. A name that cannot be resolved is not called anyway. */
export async function isHere(server: string, lookUp: LookUp = lookUpAll): Promise<boolean> {
  const own = ownAddresses();
  const addresses = await lookUp(hostOf(server).replaceAll(/[[\]]/g, '')).catch(() => []);
  return addresses.some((address) => isOwn(hostOf(`http://${isIPv6(address) ? `[${address}]` : address}`), own));
}
