/**
 * Registration without a table (RFC 7591, appendix A.5.2): the id of a client contains its registration and a keyed
 * hash of it. So anyone may register, and nothing is stored for strangers. The same registration always gets the same
 * id.
 *
 * If the key of a client's id is gone, the client is told that it is unknown, and registers anew.
 */
import type { Vault } from '../keys/vault.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import { type Client, type Registration, UnacceptableClient } from './client-metadata.ts';

const PREFIX = 'dc_';
/** It is part of addresses that browsers and proxies pass on. */
const LONGEST_ID = 2_000;

export class RegisteredClients {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The secret is null for a client without one. */
  register({ name, redirectUris, auth }: Registration): { readonly id: string; readonly secret: string | null } {
    const kept = Buffer.from(JSON.stringify([name, redirectUris, auth])).toString('base64url');
    const id = `${PREFIX}${kept}.${this.#vault.hash('registered client', kept)}`;
    if (id.length > LONGEST_ID)
      throw new UnacceptableClient('The redirect_uris are too long, taken together.', 'redirect');
    return { id, secret: auth === 'none' ? null : this.#vault.hash('client secret', id) };
  }

  /** Undefined if this service did not make the id, or made it with a key that it no longer has. */
  find(id: string): Client | undefined {
    const [, kept = '', mac = ''] = /^dc_([\w-]+)\.([\w-]+)$/.exec(id) ?? [];
    if (id.length > LONGEST_ID || kept === '') return undefined;
    if (!includes(this.#vault.hashes('registered client', kept), mac)) return undefined;
    const [name, redirectUris, auth] = JSON.parse(Buffer.from(kept, 'base64url').toString()) as [
      string,
      string[],
      Registration['auth'],
    ];
    return { id, name, host: null, redirectUris, auths: [auth] };
  }

  isSecretOf(id: string, secret: string): boolean {
    return includes(this.#vault.hashes('client secret', id), secret);
  }
}

const includes = (hashes: readonly string[], given: string): boolean =>
  // All are compared, so that timing reveals nothing.
  hashes.map((hash) => isEqualSecret(hash, given)).includes(true);
