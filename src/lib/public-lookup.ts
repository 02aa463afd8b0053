/**
 * A DNS lookup for addresses that strangers choose: it omits every private address, so that nobody can point the
 * service at its own network. The connection goes to the address that was checked, so a second DNS answer cannot
 * replace it. An address literal in a URL is never looked up, so the caller checks that by itself.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export type Resolve = (
  hostname: string,
  options: Parameters<LookupFunction>[1] & { all: true },
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

/** `refusal` makes the error for a name without a public address. */
export function publicLookup(refusal: () => Error, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses = []) => {
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (error) done(error, []);
      else if (first === undefined) done(refusal(), []);
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
