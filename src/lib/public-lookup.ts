/**
 * A DNS lookup for addresses that strangers choose: it omits every private address, so that nobody can point the
 * service at its own network. The connection goes to the address that was checked, so a second DNS answer cannot
 * replace it. An address literal in a URL is never looked up, so the caller checks that by itself.
 */
import type { LookupFunction } from 'node:net';
import { nameResolver, type Resolve } from './name-resolver.ts';
import { isPublicAddress } from './public-address.ts';

/** `refusal` makes the error for a name without a public address. */
export function publicLookup(refusal: () => Error, resolve: Resolve = nameResolver()): LookupFunction {
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
