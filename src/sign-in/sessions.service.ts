/**
 * Sessions last 90 days after the last day of use. Sessions that began at an identity provider may end earlier, so that
 * a person who was removed there does not stay. Authentication is one indexed read, and one write a day at most. An
 * account has a limited number of sessions: a sign-in beyond it ends the one that was unused for longest.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { clientName } from '../lib/client-name.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import { isRecentSignIn, requireRecentSignIn, SESSION_LIFETIME_MS } from '../lib/session-lifetime.ts';
import type { Admitted } from './admission.service.ts';
import {
  deleteLeastUsedSessions,
  deleteOtherSessions,
  deleteSession,
  deleteSessions,
  extendSession,
  findSession,
  findSessionByToken,
  insertSession,
  listSessions,
  proveSession,
  renameSession,
  type Session,
} from './sessions.store.ts';

export const SESSION_PREFIX = 'st_';
const DAY_MS = 86_400_000;
const MAX_SESSIONS = 100;

/** Where a session began: at an identity provider, or here. */
export type SessionSource = Pick<Session, 'identity_id' | 'provider_sid'>;
export const OWN: SessionSource = { identity_id: null, provider_sid: null };

export class SessionsService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #providerMs: number;

  /** `providerDays`: how many days a session lasts that began at an identity provider. */
  constructor(db: Db, clock: Clock, audit: Audit, providerDays?: number) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#providerMs = providerDays === undefined ? Number.POSITIVE_INFINITY : providerDays * DAY_MS;
  }

  /** Opens a session in the transaction of the sign-in. Returns the token; the database stores only its hash. */
  async open(
    trx: Db,
    { id: userId }: Admitted,
    { identity_id, provider_sid }: SessionSource,
    userAgent: string | undefined,
  ): Promise<string> {
    const token = newToken(SESSION_PREFIX);
    const now = this.#clock.now();
    const id = newId();
    await insertSession(trx, {
      id,
      user_id: userId,
      token_hash: hashToken(token),
      created_at: now,
      expires_at: expiryFrom(now),
      identity_id,
      provider_sid,
      client_name: clientName(userAgent),
      proven_at: now,
    });
    await deleteLeastUsedSessions(trx, userId, id, MAX_SESSIONS);
    return token;
  }

  async authenticate(token: string): Promise<SessionCaller | undefined> {
    const session = await findSession(this.#db, hashToken(token));
    const now = this.#clock.now();
    if (!session || this.#endOf(session) <= now) return undefined;
    const expiresAt = expiryFrom(now);
    if (expiresAt.getTime() - session.expires_at.getTime() >= DAY_MS)
      await extendSession(this.#db, session.id, expiresAt);
    return { kind: 'session', userId: session.user_id, sessionId: session.id, provenAt: session.proven_at };
  }

  /** For actions that a thief of an old session must not take. */
  requireRecentSignIn(caller: SessionCaller): void {
    requireRecentSignIn(caller, this.#clock.now());
  }

  /**
   * Carries a sign-in that was just made over to the caller's session, which so keeps its name, its place in the list and
   * what is under way in it. It gets the token of the sign-in, and its old token ends: somebody else may have a copy of
   * that. The session that the sign-in opened ends, also if it belongs to another account. The moment is that of the
   * sign-in, so a proof can be passed on but not prolonged.
   */
  async proveAgain({ userId, sessionId }: SessionCaller, token: string, address: string): Promise<void> {
    const proof = await transact(this.#db, async (trx) => {
      const fresh = await findSessionByToken(trx, hashToken(token));
      if (!fresh || fresh.id === sessionId || !isRecentSignIn(fresh.proven_at, this.#clock.now())) return 'expired';
      if (!(await deleteSession(trx, fresh.user_id, fresh.id))) return 'expired';
      if (fresh.user_id !== userId) return 'other_account';
      // The session has ended since the request began. The rollback keeps the new sign-in.
      if (!(await proveSession(trx, sessionId, fresh))) throw new AppError('unauthenticated');
      return 'ok';
    });
    this.#audit.record('session_proven', { result: proof, address, user_id: userId });
    if (proof === 'expired') throw new AppError('sign_in_expired');
    if (proof === 'other_account') throw new AppError('other_account');
  }

  async list({ userId }: Owner): Promise<Session[]> {
    const now = this.#clock.now();
    const sessions = (await listSessions(this.#db, userId, now)).map((session) => ({
      ...session,
      expires_at: this.#endOf(session),
    }));
    return sessions.filter(({ expires_at }) => expires_at > now);
  }

  /** Leaves `expires_at` as it is: it moves with the last use, and the command line derives the last use from it. */
  #endOf({ created_at, expires_at, identity_id }: Pick<Session, 'created_at' | 'expires_at' | 'identity_id'>): Date {
    if (identity_id === null) return expires_at;
    return new Date(Math.min(expires_at.getTime(), created_at.getTime() + this.#providerMs));
  }

  async signOut(caller: SessionCaller, address: string): Promise<void> {
    await deleteSession(this.#db, caller.userId, caller.sessionId);
    this.#audit.record('sign_out', { result: 'ok', address, user_id: caller.userId });
  }

  async rename({ userId }: Owner, sessionId: string, name: string): Promise<void> {
    if (!(await renameSession(this.#db, userId, sessionId, name))) throw noSuchSession();
  }

  /** The session of another account gives the same answer as one that does not exist. */
  async revoke({ userId }: Owner, sessionId: string, address: string): Promise<void> {
    const isRevoked = await deleteSession(this.#db, userId, sessionId);
    this.#audit.record('session_revoked', { result: isRevoked ? 'ok' : 'not_found', address, user_id: userId });
    if (!isRevoked) throw noSuchSession();
  }

  /** In the transaction of signing out everywhere. Returns how many ended. */
  endOthers(trx: Db, { userId, sessionId }: SessionCaller): Promise<number> {
    return deleteOtherSessions(trx, userId, sessionId);
  }

  async revokeAll({ userId }: Owner, address: string): Promise<number> {
    const sessions = await deleteSessions(this.#db, userId);
    this.#audit.record('session_revoked', { result: 'ok', address, user_id: userId, sessions });
    return sessions;
  }
}

type Owner = Pick<SessionCaller, 'userId'>;

const noSuchSession = () => new AppError('not_found', { sentence: 'You have no such session.' });
const expiryFrom = (now: Date) => new Date(now.getTime() + SESSION_LIFETIME_MS);
