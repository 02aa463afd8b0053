/**
 * Sign-in with a passkey, without an address: the passkey names its account. No second factor is asked for. A signature
 * signs in once, because its challenge is spent and its counter stored in the transaction that opens the session.
 */
import { lockUser } from '../../accounts/users.store.ts';
import type { Db } from '../../db/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { AccountNotices } from '../account-notices.ts';
import type { AdmissionService } from '../admission.service.ts';
import type { ProofGate } from '../proof-gate.ts';
import type { Requester } from '../requester.ts';
import type { SignInResult, SignInService } from '../sign-in.service.ts';
import { CHALLENGE_LIFETIME_MS, type PasskeyChallenges } from './passkey-challenges.ts';
import { type PasskeyOrigin, requirePasskeyOrigin } from './passkey-origin.ts';
import { readSignature, requestOptions, type SignedCredential } from './passkey-proofs.ts';
import { findPasskey, type Passkey, recordPasskeyUse } from './passkeys.store.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  /** Undefined if browsers allow no passkeys at the address of the service. */
  readonly relyingParty: PasskeyOrigin | undefined;
  readonly challenges: PasskeyChallenges;
  readonly signIn: SignInService;
  readonly admission: AdmissionService;
  readonly gate: ProofGate;
  readonly notices: AccountNotices;
}

export class PasskeySignInService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin() {
    const challenge = this.#parts.challenges.issue('sign in');
    return requestOptions(requirePasskeyOrigin(this.#parts.relyingParty), challenge, CHALLENGE_LIFETIME_MS);
  }

  async signIn(credential: SignedCredential, requester: Requester): Promise<SignInResult> {
    const { db, gate, signIn, notices } = this.#parts;
    const relyingParty = requirePasskeyOrigin(this.#parts.relyingParty);
    const passkey = await findPasskey(db, credential.id);
    const account = passkey?.user_id;
    const auditFields = ({ user_id, mode, status }: SignInResult) => ({
      user_id,
      mode,
      status,
      method: 'passkey',
      passkey_id: passkey?.id,
    });
    const verify = () => this.#verify(relyingParty, credential, passkey, requester);
    try {
      const { address } = requester;
      const result = await gate.check('sign_in', { account, user_id: account, address }, verify, auditFields);
      if (!result) throw new AppError('wrong_passkey');
      await signIn.finish(result, requester);
      return result;
    } catch (error) {
      if (passkey && error instanceof AppError && error.code === 'copied_passkey')
        notices.send(passkey.user_id, { kind: 'passkey_copied', name: passkey.name });
      throw error;
    }
  }

  /** Strangers get no further than this look-up: no signature is computed for a passkey that no account has. */
  async #verify(
    relyingParty: PasskeyOrigin,
    credential: SignedCredential,
    passkey: Passkey | undefined,
    requester: Requester,
  ): Promise<SignInResult | undefined> {
    const { admission, challenges } = this.#parts;
    const challenge = challenges.find('sign in', credential.response.clientDataJSON);
    if (!challenge) throw new AppError('sign_in_expired');
    if (!passkey) throw new AppError('unknown_passkey');
    const counter = await readSignature(relyingParty, challenge.text, credential, passkey);
    if (counter === undefined) return undefined;
    return admission.enter(async (trx) => {
      if (!(await challenges.spend(trx, challenge))) throw new AppError('sign_in_expired');
      return this.#open(trx, passkey, counter, requester);
    });
  }

  async #open(
    trx: Db,
    { id, user_id, credential_id }: Passkey,
    counter: number,
    requester: Requester,
  ): Promise<SignInResult> {
    const { clock, signIn } = this.#parts;
    // Waits for a removal, which locks the account too. The passkey was read before the signature was verified.
    await lockUser(trx, user_id);
    if (!(await findPasskey(trx, credential_id))) throw new AppError('unknown_passkey');
    if (!(await recordPasskeyUse(trx, id, counter, clock.now()))) throw new AppError('copied_passkey');
    return signIn.complete(trx, { id: user_id }, 'login', requester, { way: 'passkey' });
  }
}
