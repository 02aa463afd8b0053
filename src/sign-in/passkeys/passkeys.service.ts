/**
 * The passkeys of an account: added, named, removed. Adding needs a recent sign-in: a thief with an old session could
 * otherwise make a way in that stays. The owner gets a mail about each change. The last way in cannot be removed.
 */
import { lockUser, requireUser, type User } from '../../accounts/users.store.ts';
import { requireLiveSession } from '../../db/live-session.ts';
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import type { Audit } from '../../lib/audit.ts';
import type { SessionCaller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { AccountNotices } from '../account-notices.ts';
import type { AdmissionService } from '../admission.service.ts';
import type { ProofGate } from '../proof-gate.ts';
import { listIdentities } from '../provider/identities.store.ts';
import { CHALLENGE_LIFETIME_MS, type PasskeyChallenges } from './passkey-challenges.ts';
import { type PasskeyOrigin, requirePasskeyOrigin } from './passkey-origin.ts';
import { creationOptions, type NewCredential, readNewCredential } from './passkey-proofs.ts';
import { deletePasskeys, insertPasskey, listPasskeys, type Passkey, renamePasskey } from './passkeys.store.ts';

const MAX_PASSKEYS = 20;

/** The ways into an account beside its passkeys, as the service is configured. */
interface OtherWaysIn {
  readonly isMailSent: boolean;
  /** The issuer of the identity provider; undefined if none is configured, or it has not said yet. */
  readonly knownIssuer: () => string | undefined;
}

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  /** Undefined if browsers allow no passkeys at the address of the service. */
  readonly relyingParty: PasskeyOrigin | undefined;
  readonly challenges: PasskeyChallenges;
  readonly otherWaysIn: OtherWaysIn;
  readonly admission: AdmissionService;
  readonly gate: ProofGate;
  readonly audit: Audit;
  readonly notices: AccountNotices;
}

type Owner = Pick<SessionCaller, 'userId'>;

export class PasskeysService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list({ userId }: Owner, db = this.#parts.db): Promise<Passkey[]> {
    return listPasskeys(db, userId);
  }

  /** The route gives the challenge only to a session with a recent sign-in, and it opens only in that session. */
  async beginAdding({ userId, sessionId }: SessionCaller) {
    const { db, challenges, admission } = this.#parts;
    const relyingParty = requirePasskeyOrigin(this.#parts.relyingParty);
    await admission.requireOwnWays(userId);
    const { user, known } = await transact(db, async (trx) => {
      const locked = requireUser(await lockUser(trx, userId));
      return { user: locked, known: await listForOneMore(trx, userId) };
    });
    const challenge = challenges.issue({ addIn: sessionId });
    return creationOptions({ relyingParty, challenge, user, known, timeoutMs: CHALLENGE_LIFETIME_MS });
  }

  async add(caller: SessionCaller, name: string, credential: NewCredential, address: string): Promise<Passkey> {
    const { gate, notices } = this.#parts;
    const { userId } = caller;
    const verify = () => this.#verifyNew(caller, name, credential);
    const attempt = { account: userId, user_id: userId, address };
    const added = await gate.check('passkey_added', attempt, verify, ({ id }) => ({ passkey_id: id }));
    if (!added) throw new AppError('passkey_refused');
    notices.send(userId, { kind: 'passkey_added', name }, caller.sessionId);
    return added;
  }

  async #verifyNew(
    { userId, sessionId }: SessionCaller,
    name: string,
    credential: NewCredential,
  ): Promise<Passkey | undefined> {
    const { db, clock, challenges } = this.#parts;
    const relyingParty = requirePasskeyOrigin(this.#parts.relyingParty);
    const challenge = challenges.find({ addIn: sessionId }, credential.response.clientDataJSON);
    const proven = challenge && (await readNewCredential(relyingParty, challenge.text, credential));
    if (!proven) return undefined;
    const passkey: Passkey = {
      id: newId(),
      user_id: userId,
      ...proven,
      name,
      created_at: clock.now(),
      last_used_at: null,
    };
    return transact(db, async (trx) => {
      await requireLiveSession(trx, { sessionId });
      requireUser(await lockUser(trx, userId));
      if (!(await challenges.spend(trx, challenge))) return undefined;
      await listForOneMore(trx, userId);
      if (!(await insertPasskey(trx, passkey))) throw new AppError('passkey_known');
      return passkey;
    });
  }

  async rename({ userId }: Owner, id: string, name: string): Promise<Passkey> {
    const renamed = await renamePasskey(this.#parts.db, userId, id, name);
    if (!renamed) throw noSuchPasskey();
    return renamed;
  }

  /** Removes one passkey or all of them. Returns the names of the removed ones. */
  async remove({ userId }: Owner, which: string, address: string): Promise<string[]> {
    const { db, audit, notices } = this.#parts;
    const isChosen = ({ id }: Passkey) => which === 'all' || id === which;
    const removed = await transact(db, (trx) => this.#remove(trx, userId, isChosen));
    for (const { id, name } of removed) {
      audit.record('passkey_removed', { result: 'ok', address, user_id: userId, passkey_id: id });
      notices.send(userId, { kind: 'passkey_removed', name });
    }
    if (removed.length === 0) throw noSuchPasskey();
    return removed.map(({ name }) => name);
  }

  /** In the transaction of signing out everywhere. Returns how many ended. */
  async end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    return (await this.#remove(trx, userId, ({ id }) => ids.includes(id))).length;
  }

  async #remove(trx: Db, userId: string, isChosen: (passkey: Passkey) => boolean): Promise<Passkey[]> {
    const user = requireUser(await lockUser(trx, userId));
    const all = await listPasskeys(trx, userId);
    const chosen = all.filter(isChosen);
    if (chosen.length === 0) return [];
    if (chosen.length === all.length && !(await this.#hasOtherWayIn(trx, user))) throw new AppError('last_way_in');
    const ids = chosen.map(({ id }) => id);
    await deletePasskeys(trx, ids);
    return chosen;
  }

  async #hasOtherWayIn(trx: Db, { id, email }: User): Promise<boolean> {
    const { isMailSent, knownIssuer } = this.#parts.otherWaysIn;
    if (email !== null && isMailSent) return true;
    return (await listIdentities(trx, id)).some(({ issuer }) => issuer === knownIssuer());
  }
}

/** The passkeys of the account. Throws if it may not have one more. The account must be locked. */
async function listForOneMore(trx: Db, userId: string): Promise<Passkey[]> {
  const passkeys = await listPasskeys(trx, userId);
  if (passkeys.length >= MAX_PASSKEYS) throw new AppError('too_many_passkeys');
  return passkeys;
}

const noSuchPasskey = () => new AppError('not_found', { sentence: 'You have no such passkey.' });
