/**
 * The links by which the owner of an account takes back what somebody else may have done: a change of the address, or a
 * reset of the second factor. A token names the stored change and proves by a keyed hash that the service made it. The
 * row of the change decides whether the link still works, so each works once.
 */
import type { Vault } from '../keys/vault.ts';
import { decodeBase64url, isEqualSecret } from '../lib/secrets.ts';

const PURPOSE = 'take back';
const ID_BYTES = 16;
const MAC_BYTES = 16;
const LETTERS = { address: 'a', reset: 'r' } as const;

export type TakeBackKind = keyof typeof LETTERS;

export interface TakeBackKey {
  readonly kind: TakeBackKind;
  readonly id: string;
}

export class TakeBackLinks {
  readonly #vault: Vault;
  readonly #baseUrl: string;

  constructor(vault: Vault, baseUrl: string) {
    this.#vault = vault;
    this.#baseUrl = baseUrl;
  }

  urlOf(kind: TakeBackKind, id: string): string {
    const bytes = Buffer.concat([toBytes(id), macOf(this.#vault.hash(PURPOSE, kind, id))]);
    return `${this.#baseUrl}/take-back/${LETTERS[kind]}${bytes.toString('base64url')}`;
  }

  /** Undefined if the service did not make the token, or the key that it was made with is gone. */
  read(token: string): TakeBackKey | undefined {
    const kind = (Object.keys(LETTERS) as TakeBackKind[]).find((one) => token.startsWith(LETTERS[one]));
    const bytes = decodeBase64url(token.slice(1));
    if (kind === undefined || bytes?.length !== ID_BYTES + MAC_BYTES) return undefined;
    const id = toId(bytes.subarray(0, ID_BYTES));
    const given = bytes.subarray(ID_BYTES).toString('hex');
    // All are compared, so that timing reveals nothing.
    const matches = this.#vault
      .hashes(PURPOSE, kind, id)
      .map((hash) => isEqualSecret(macOf(hash).toString('hex'), given));
    return matches.includes(true) ? { kind, id } : undefined;
  }
}

const macOf = (hash: string): Buffer => Buffer.from(hash, 'base64url').subarray(0, MAC_BYTES);
const toBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
const toId = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
