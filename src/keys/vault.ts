/**
 * Seals values that must not be readable from a copy of the database, and hashes short codes.
 *
 * A sealed value is encrypted with AES-256-GCM and carries the id of its key, so that keys can rotate.
 * Codes short enough to type are stored under a keyed hash, so that trying all of them needs the key too.
 * A hash cannot be renewed under another key, so a code is looked up under every available key.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { decodeBase64url } from '../lib/secrets.ts';
import type { SecretKeys } from './secret-key-file.ts';

interface Key {
  readonly id: string;
  readonly sealing: Buffer;
  readonly hashing: Buffer;
}

const SEALED = /^v1\.([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/** The id of the key that sealed the value; undefined if the text is not a sealed value. */
export const sealedWith = (sealed: string): string | undefined => SEALED.exec(sealed)?.[1];

export class Vault {
  readonly #current: Key;
  readonly #byId: ReadonlyMap<string, Key>;

  /** The first key seals and hashes. The others only open and check older values. */
  constructor(secrets: SecretKeys) {
    const keys = secrets.map(deriveKey);
    this.#current = keys[0] as Key;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** The id of the key that seals and hashes. It reveals nothing about the key. */
  get keyId(): string {
    return this.#current.id;
  }

  /** The ids of all keys, newest first. */
  get keyIds(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** A keyed hash for short codes. The purpose keeps one kind of code from being used as another. */
  hash(purpose: string, ...parts: readonly string[]): string {
    return hashWith(this.#current, purpose, parts);
  }

  /** The hashes of the code under all keys. All are computed, so that timing reveals nothing. */
  hashes(purpose: string, ...parts: readonly string[]): string[] {
    return [...this.#byId.values()].map((key) => hashWith(key, purpose, parts));
  }

  /** Whether the key of the value is the current one, an older available one, or missing. A damaged value: missing. */
  keyStatusOf(sealed: string): 'current' | 'older' | 'missing' {
    const id = sealedWith(sealed) ?? '';
    if (id === this.#current.id) return 'current';
    return this.#byId.has(id) ? 'older' : 'missing';
  }

  /** The context names the row of the value and is authenticated: a value copied to another row does not open there. */
  seal(context: string, text: string): string {
    const { id, sealing } = this.#current;
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return ['v1', id, ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
  }

  open(context: string, sealed: string): string {
    const [, id = '', nonce = '', tag = '', body = ''] = SEALED.exec(sealed) ?? [];
    const key = this.#byId.get(id);
    if (!key) throw new Error('A stored secret was sealed with a key that is not configured.');
    const [iv, authTag, encrypted] = [nonce, tag, body].map(decodeBase64url);
    if (!iv || !authTag || !encrypted) throw new Error('A sealed value is not as the service wrote it.');
    const decipher = createDecipheriv('aes-256-gcm', key.sealing, iv, { authTagLength: 16 })
      .setAAD(Buffer.from(context))
      .setAuthTag(authTag);
    return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
  }
}

const hashWith = ({ hashing }: Key, purpose: string, parts: readonly string[]): string =>
  createHmac('sha256', hashing)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('base64url');

/** The id of a key, as stored in sealed values. It reveals nothing about the key. */
export const keyIdOf = (secret: string): string => deriveKey(secret).id;

function deriveKey(secret: string): Key {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `crescendo ${purpose}`, bytes));
  return { id: derive('id', 6).toString('base64url'), sealing: derive('seal', 32), hashing: derive('hash', 32) };
}
