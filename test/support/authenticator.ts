/** A phone with passkeys, in software. It signs like a browser and an authenticator together, or with one deviation. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Person } from './people.ts';
import type { Answer } from './test-app.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** Values that a hostile or broken authenticator sends instead. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** False for a touch without a fingerprint or PIN. */
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly credentialId?: string;
  readonly userHandle?: string;
  /** The attestation object up to `authData`, in hex. */
  readonly attestation?: string;
}

interface Options {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
}

const UP = 0x01;
const UV = 0x04;
const ATTESTED = 0x40;
const NO_ATTESTATION = 'a363666d74646e6f6e656761747453746d74a068617574684461746159';

export class Authenticator {
  readonly #origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly credentialId = randomBytes(16).toString('base64url');
  #userHandle = '';
  #counter: number;

  /** A counter of undefined stays 0, as it does for passkeys that are synced between devices. */
  constructor(origin = 'http://localhost:8080', counter?: number) {
    this.#origin = origin;
    this.#counter = counter ?? Number.NaN;
  }

  create(options: Options, lies: Lies = {}) {
    this.#userHandle = options.user?.id ?? '';
    const credentialId = Buffer.from(this.credentialId, 'base64url');
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, credentialId.length]),
      credentialId,
      this.#coseKey(),
    ]);
    const authData = this.#authData(lies.rpId ?? options.rp?.id ?? '', lies, attested);
    const head = Buffer.from(lies.attestation ?? NO_ATTESTATION, 'hex');
    const length = Buffer.from([authData.length >> 8, authData.length & 0xff]);
    return this.#credential(lies, {
      clientDataJSON: this.#clientData('webauthn.create', options, lies).toString('base64url'),
      attestationObject: Buffer.concat([head, length, authData]).toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  get(options: Options, lies: Lies = {}) {
    const clientData = this.#clientData('webauthn.get', options, lies);
    const authData = this.#authData(lies.rpId ?? options.rpId ?? '', lies);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey);
    return this.#credential(lies, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: lies.userHandle ?? this.#userHandle,
    });
  }

  #credential<T extends object>(lies: Lies, response: T) {
    const id = lies.credentialId ?? this.credentialId;
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, options: Options, lies: Lies): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? this.#origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  }

  #authData(rpId: string, { userVerified = true, counter }: Lies, attested?: Buffer): Buffer {
    this.#counter += 1;
    const head = Buffer.alloc(5);
    head[0] = UP | (userVerified ? UV : 0) | (attested ? ATTESTED : 0);
    head.writeUInt32BE(counter ?? (Number.isNaN(this.#counter) ? 0 : this.#counter), 1);
    return Buffer.concat([sha256(rpId), head, ...(attested ? [attested] : [])]);
  }

  /** An ES256 key as COSE. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const point = (label: string, value: string) => [Buffer.from(label, 'hex'), Buffer.from(value, 'base64url')];
    return Buffer.concat([Buffer.from('a5010203262001', 'hex'), ...point('215820', x), ...point('225820', y)]);
  }
}

/** Adds a passkey as a browser does. */
export async function addPasskey(person: Person, phone = new Authenticator(), lies: Lies = {}): Promise<Answer> {
  const { body } = await person.ask('POST', '/v1/passkeys/begin');
  return person.ask('POST', '/v1/passkeys', { name: 'Phone', credential: phone.create(body.data.options, lies) });
}
