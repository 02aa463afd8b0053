declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface EncryptionParameters {
    readonly version: 'aes128gcm';
    readonly dh: Buffer;
    readonly privateKey: ECDH;
    readonly salt: Buffer;
    readonly authSecret: Buffer;
  }

  const ece: { encrypt(plaintext: Buffer, parameters: EncryptionParameters): Buffer };
  export = ece;
}
