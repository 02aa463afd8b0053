/**
 * A DNS lookup for addresses that strangers choose: it omits every private address, so that nobody can point the
 * service at its own network. The connection goes to the address that was checked, so a second DNS answer cannot
 * replace it. An address literal in a URL is never looked up, so the caller checks that by itself.
 *
 * A name without a public address fails as a name that does not exist: otherwise an account could ask what the names
 * in our network lead to. `onPrivateName` tells the operator.
 */
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../lib/public-address.ts';
import { nameResolver, type Resolve, unknownName } from './name-resolver.ts';

/** Called with a name that has private addresses only, or that a home network alone would know. */
export type OnPrivateName = (hostname: string) => void;

export function publicLookup(resolve: Resolve = nameResolver(), onPrivateName?: OnPrivateName): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses = []) => {
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (error) done(error, []);
      else if (first === undefined) {
        onPrivateName?.(hostname);
        done(unknownName(hostname), []);
      } else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** For the operator only: whether the host of this URL is not called because of its name. */
export async function isInPrivateNetwork(url: string, resolve?: Resolve): Promise<boolean> {
  let isPrivate = false;
  const note = () => {
    isPrivate = true;
  };
  const { promise, resolve: done } = Promise.withResolvers<void>();
  publicLookup(resolve, note)(new URL(url).hostname, { all: true }, () => done());
  await promise;
  return isPrivate;
}
