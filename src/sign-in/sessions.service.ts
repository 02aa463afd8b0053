/**
 * Sessions last 90 days after the last day of use. Authentication is one indexed read, and one write a day at most.
 * An account has a limited number: a sign-in beyond it ends the session that was not used for the longest time.
 */
import type { Db } from '../db/schema.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import { SESSION_LIFETIME_MS } from '../lib/session-lifetime.ts';
import {
  deleteLeastUsedSessions,
  deleteSession,
  deleteSessions,
  extendSession,
  findSession,
  insertSession,
  listSessions,
  requireRecentSignIn,
  type Session,
} from './sessions.store.ts';

export const SESSION_PREFIX = 'st_';
const DAY_MS = 86_400_000;
const MAX_SESSIONS = 100;

export class SessionsService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #audit: Audit;

  constructor(db: Db, clock: Clock, audit: Audit) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** Opens a session in the transaction of the sign-in. Returns the token, of which only the hash is stored. */
  async open(trx: Db, userId: string): Promise<string> {
    const token = newToken(SESSION_PREFIX);
    const now = this.#clock.now();
    const id = newId();
    await insertSession(trx, {
      id,
      user_id: userId,
      token_hash: hashToken(token),
      created_at: now,
      expires_at: expiryFrom(now),
    });
    await deleteLeastUsedSessions(trx, userId, id, MAX_SESSIONS);
    return token;
  }

  async authenticate(token: string): Promise<SessionCaller | undefined> {
    const session = await findSession(this.#db, hashToken(token));
    const now = this.#clock.now();
    if (!session || session.expires_at <= now) return undefined;
    const expiresAt = expiryFrom(now);
    if (expiresAt.getTime() - session.expires_at.getTime() >= DAY_MS)
      await extendSession(this.#db, session.id, expiresAt);
    return { kind: 'session', userId: session.user_id, sessionId: session.id };
  }

  /** For what a thief of an old session must not do. */
  async requireRecentSignIn({ sessionId }: SessionCaller): Promise<void> {
    await requireRecentSignIn(this.#db, sessionId, this.#clock.now());
  }

  async list({ userId }: Owner): Promise<Session[]> {
    return listSessions(this.#db, userId, this.#clock.now());
  }

  async signOut(caller: SessionCaller, address: string): Promise<void> {
    await deleteSession(this.#db, caller.userId, caller.sessionId);
    this.#audit.record('sign_out', { result: 'ok', address, user_id: caller.userId });
  }

  /** The session of another account gives the same answer as one that does not exist. */
  async revoke({ userId }: Owner, sessionId: string, address: string): Promise<void> {
    const isRevoked = await deleteSession(this.#db, userId, sessionId);
    this.#audit.record('session_revoked', { result: isRevoked ? 'ok' : 'not_found', address, user_id: userId });
    if (!isRevoked) throw new AppError('not_found', { sentence: 'You have no such session.' });
  }

  /** Returns the number of sessions. */
  async revokeAll({ userId }: Owner, address: string): Promise<number> {
    const sessions = await deleteSessions(this.#db, userId);
    this.#audit.record('session_revoked', { result: 'ok', address, user_id: userId, sessions });
    return sessions;
  }
}

type Owner = Pick<SessionCaller, 'userId'>;

const expiryFrom = (now: Date) => new Date(now.getTime() + SESSION_LIFETIME_MS);
