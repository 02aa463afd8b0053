/** Whether a server is on another machine than this one. */
import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { isOwnMachine } from '../../lib/public-address.ts';
import { hostOf } from '../../lib/server-of.ts';

export type LookUp = (host: string) => Promise<readonly string[]>;

const lookUpAll: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

const ownAddresses = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)));

/** By its name alone: whether it may be elsewhere. */
export const mayBeElsewhere = (server: string, ownHost: string): boolean =>
  !isOwnMachine(hostOf(server)) && hostOf(server) !== ownHost && !ownAddresses().has(hostOf(server));

/** By its address: a name of this machine is no other machine. A name that cannot be resolved is not called anyway. */
export async function isHere(server: string, lookUp: LookUp = lookUpAll): Promise<boolean> {
  const own = ownAddresses();
  const addresses = await lookUp(hostOf(server).replaceAll(/[[\]]/g, '')).catch(() => []);
  return addresses.some((address) => own.has(address));
}
