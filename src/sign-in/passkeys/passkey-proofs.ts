/**
 * Verifies what an authenticator has signed: the challenge, the origin, the relying party, and that the authenticator
 * has verified its user. The library is loaded with the first proof, because most processes never see one.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { PasskeyOrigin } from './passkey-origin.ts';
import type { Passkey } from './passkeys.store.ts';

/** The fields that a browser sends, without extensions: the service asks for none. */
export type NewCredential = Omit<RegistrationResponseJSON, 'clientExtensionResults'>;
export interface SignedCredential extends Omit<AuthenticationResponseJSON, 'clientExtensionResults' | 'response'> {
  readonly response: Omit<AuthenticationResponseJSON['response'], 'userHandle'> & {
    readonly userHandle?: string | null;
  };
}

const NO_EXTENSIONS = { clientExtensionResults: {} };

/** ES256, EdDSA and RS256: every authenticator knows at least one of them. */
const ALGORITHMS = [-7, -8, -257];

export interface CreationRequest {
  readonly relyingParty: PasskeyOrigin;
  readonly challenge: string;
  readonly user: { readonly id: string; readonly email: string | null; readonly display_name: string | null };
  /** The account's passkeys: an authenticator that has one of them makes no second one. */
  readonly known: readonly Passkey[];
  readonly timeoutMs: number;
}

/** The argument of `navigator.credentials.create`, in its JSON form. */
export async function creationOptions({ relyingParty, challenge, user, known, timeoutMs }: CreationRequest) {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const name = user.email ?? user.display_name ?? 'Crescendo';
  return generateRegistrationOptions({
    rpName: 'Crescendo',
    rpID: relyingParty.id,
    userID: Uint8Array.from(Buffer.from(user.id)),
    userName: name,
    userDisplayName: user.display_name ?? name,
    challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: transports.split(' ').filter(Boolean) as AuthenticatorTransport[],
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** The argument of `navigator.credentials.get`. Without a list of credentials, the authenticator offers its own. */
export const requestOptions = (relyingParty: PasskeyOrigin, challenge: string, timeoutMs: number) => ({
  challenge,
  rpId: relyingParty.id,
  timeout: timeoutMs,
  userVerification: 'required',
});

/** The columns of the new passkey that come from the authenticator; undefined if the proof is wrong. */
export async function readNewCredential(
  { id, origin }: PasskeyOrigin,
  challenge: string,
  response: NewCredential,
): Promise<Pick<Passkey, 'credential_id' | 'public_key' | 'counter' | 'transports'> | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...(await withoutAttestation(response)), ...NO_EXTENSIONS },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { credential } = registrationInfo;
    return {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: (credential.transports ?? []).join(' '),
    };
  } catch {
    // The library throws for every kind of wrong proof.
    return undefined;
  }
}

/** A map of `fmt` "none" and an empty `attStmt`, up to its last value, `authData`, whose length has two bytes. */
const NO_ATTESTATION = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex');

/**
 * The service asks for no attestation and does not judge one, so it does not even read what comes with one, such as
 * certificates that the sender chose, with addresses to fetch from.
 */
async function withoutAttestation(response: NewCredential): Promise<NewCredential> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const sent = Uint8Array.from(Buffer.from(response.response.attestationObject, 'base64url'));
  const authData = decodeAttestationObject(sent).get('authData');
  const length = Buffer.from([authData.length >> 8, authData.length & 0xff]);
  const attestationObject = Buffer.concat([NO_ATTESTATION, length, authData]).toString('base64url');
  return { ...response, response: { ...response.response, attestationObject } };
}

/** The authenticator's counter after this signature; undefined if the proof is wrong. */
export async function readSignature(
  { id, origin }: PasskeyOrigin,
  challenge: string,
  response: SignedCredential,
  passkey: Passkey,
): Promise<number | undefined> {
  // The authenticator and the table both name the account, and must agree.
  const userHandle = Buffer.from(passkey.user_id).toString('base64url');
  if (response.response.userHandle !== userHandle) return undefined;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, response: { ...response.response, userHandle }, ...NO_EXTENSIONS },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: Uint8Array.from(Buffer.from(passkey.public_key, 'base64url')),
        // The counter is compared when it is stored, where two sign-ins at once cannot both pass.
        counter: 0,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}
