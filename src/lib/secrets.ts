/**
 * Everything that must not be readable from a copy of the database.
 *
 * Tokens with 256 random bits are stored as a plain SHA-256: they cannot be guessed, and they keep
 * working when the key changes. Codes short enough to be typed are stored under a keyed hash, so
 * that trying them all needs the key too. What must be read again is encrypted (AES-256-GCM); the
 * text says which key sealed it, so that keys can rotate. A hash cannot be made anew under another
 * key, so a code is looked for under every key that is known.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** A new secret with a prefix that tells people and scanners what it is. */
export const newToken = (prefix: string): string => prefix + randomBytes(32).toString('base64url');

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Compares without telling by the time it takes how much was right. */
export function isEqualSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

interface Key {
  readonly id: string;
  readonly sealing: Buffer;
  readonly hashing: Buffer;
}

const SEALED = /^v1\.([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/** The name of the key that a text says it was sealed with; undefined where it is no sealed text. */
export const sealedWith = (sealed: string): string | undefined => SEALED.exec(sealed)?.[1];

export class Vault {
  readonly #current: Key;
  readonly #byId: ReadonlyMap<string, Key>;

  /** The first secret seals and hashes; the others only open what they once sealed, and know what they once hashed. */
  constructor(secrets: readonly [string, ...string[]]) {
    const keys = secrets.map(deriveKey);
    this.#current = keys[0] as Key;
    this.#byId = new Map(keys.map((key) => [key.id, key]));
  }

  /** The name of the key that seals and hashes. It tells nothing about the key. */
  get keyId(): string {
    return this.#current.id;
  }

  /** The names of all keys, the newest first. */
  get keyIds(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** A keyed hash for short codes. The purpose keeps one kind of code from standing in for another. */
  hash(purpose: string, ...parts: readonly string[]): string {
    return hashWith(this.#current, purpose, parts);
  }

  /** What the same code hashes to under each key, always all of them: how long it takes tells nothing. */
  hashes(purpose: string, ...parts: readonly string[]): string[] {
    return [...this.#byId.values()].map((key) => hashWith(key, purpose, parts));
  }

  /** Whether a sealed text is as it would be sealed today, opens with an older key, or with none that is known. */
  ageOf(sealed: string): 'current' | 'older' | 'unknown' {
    const id = sealedWith(sealed) ?? '';
    if (id === this.#current.id) return 'current';
    return this.#byId.has(id) ? 'older' : 'unknown';
  }

  /** The context (whose secret it is) is bound in: a sealed text copied to another row does not open there. */
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
    const decipher = createDecipheriv('aes-256-gcm', key.sealing, Buffer.from(nonce, 'base64url'), {
      authTagLength: 16,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(Buffer.from(body, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
  }
}

const hashWith = ({ hashing }: Key, purpose: string, parts: readonly string[]): string =>
  createHmac('sha256', hashing)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('base64url');

/** The name under which a secret's texts and hashes are known; it tells nothing about the secret. */
export const keyIdOf = (secret: string): string => deriveKey(secret).id;

function deriveKey(secret: string): Key {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `crescendo ${purpose}`, bytes));
  return { id: derive('id', 6).toString('base64url'), sealing: derive('seal', 32), hashing: derive('hash', 32) };
}
