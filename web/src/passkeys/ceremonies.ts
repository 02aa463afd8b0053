/**
 * The browser's two dialogs for passkeys, each between two calls of the service. Loaded when it is needed. A failure is
 * thrown as a `Problem` with a text for the person.
 */
import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { api, type SignInResult, unwrap } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { strings } from '../strings.ts';

const words = strings.passkeys;

export async function addPasskey(name: string): Promise<void> {
  const { options } = await unwrap(api.POST('/v1/passkeys/begin'));
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await startRegistration({ optionsJSON }).catch((error: unknown) => {
    throw toProblem(error, words.addCancelled);
  });
  await unwrap(api.POST('/v1/passkeys', { body: { name, credential } })).catch((error: unknown) => {
    // The service does not have it: the device may hide it instead of offering it at every sign-in.
    signalUnknown(optionsJSON.rp.id, credential.id);
    throw error;
  });
}

export const signInWithPasskey = async (): Promise<SignInResult> => signIn(await begin());

/**
 * Lets the browser offer passkeys in the field for the address. Undefined if it cannot, or if nothing was chosen: only a
 * person who has chosen a passkey is told what went wrong.
 */
export async function signInByAutofill(): Promise<SignInResult | undefined> {
  if (!(await browserSupportsWebAuthnAutofill())) return undefined;
  const options = await begin().catch(() => undefined);
  return (
    options &&
    signIn(options, true).catch((error: unknown) => {
      if (error instanceof CeremonyProblem) return undefined;
      throw error;
    })
  );
}

export const cancelAutofill = () => WebAuthnAbortService.cancelCeremony();

async function begin(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { options } = await unwrap(api.POST('/v1/auth/passkey/begin'));
  return options as unknown as PublicKeyCredentialRequestOptionsJSON;
}

async function signIn(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
  useBrowserAutofill = false,
): Promise<SignInResult> {
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill }).catch((error: unknown) => {
    throw toProblem(error, words.signInCancelled);
  });
  return unwrap(api.POST('/v1/auth/passkey', { body: { credential } })).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'unknown_passkey') signalUnknown(optionsJSON.rpId, credential.id);
    throw error;
  });
}

/** The browser's own dialog did not end with a passkey. */
class CeremonyProblem extends Problem {}

/** Browsers do not say whether the person cancelled, the time ran out, or there is no passkey. */
function toProblem(error: unknown, cancelled: string): Problem {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return new CeremonyProblem('passkey_cancelled', cancelled);
  if (name === 'InvalidStateError') return new CeremonyProblem('passkey_known', strings.problems.byCode.passkey_known);
  if (name === 'ConstraintError' || name === 'NotSupportedError')
    return new CeremonyProblem('passkey_unsuitable', words.unsuitable);
  return new CeremonyProblem('passkey_failed', words.failed);
}

interface Signals {
  signalUnknownCredential?(unknown: { rpId: string | undefined; credentialId: string }): Promise<void>;
}

/** Not every browser knows this, and nothing depends on it. */
function signalUnknown(rpId: string | undefined, credentialId: string): void {
  const { signalUnknownCredential } = PublicKeyCredential as unknown as Signals;
  void signalUnknownCredential?.call(PublicKeyCredential, { rpId, credentialId }).catch(() => undefined);
}
