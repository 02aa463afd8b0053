/** Sessions: 90 days from the last day they were used. A look-up is one indexed read; it writes at most once a day. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { Audit } from './audit.ts';
import { SESSION_LIFETIME_MS } from './session-lifetime.ts';
import {
  deleteSession,
  deleteSessions,
  extendSession,
  findSession,
  insertSession,
  listSessions,
  type Session,
} from './sessions.store.ts';

export const SESSION_PREFIX = 'st_';
const DAY_MS = 86_400_000;

export class SessionsService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #audit: Audit;

  constructor(db: Kysely<Database>, clock: Clock, audit: Audit) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** Opens a session as part of the sign-in's own transaction. The token is returned here and never again. */
  async open(trx: Kysely<Database>, userId: string): Promise<string> {
    const token = newToken(SESSION_PREFIX);
    const now = this.#clock.now();
    const session = {
      id: newId(),
      user_id: userId,
      token_hash: hashToken(token),
      created_at: now,
      expires_at: expiryFrom(now),
    };
    await insertSession(trx, session);
    return token;
  }

  async authenticate(token: string): Promise<SessionCaller | undefined> {
    const session = await findSession(this.#db, hashToken(token));
    const now = this.#clock.now();
    if (!session || session.expires_at <= now) return undefined;
    const extended = expiryFrom(now);
    if (extended.getTime() - session.expires_at.getTime() >= DAY_MS)
      await extendSession(this.#db, session.id, extended);
    return { kind: 'session', userId: session.user_id, sessionId: session.id };
  }

  async list({ userId }: Owner): Promise<Session[]> {
    return listSessions(this.#db, userId, this.#clock.now());
  }

  async signOut(caller: SessionCaller, address: string): Promise<void> {
    await deleteSession(this.#db, caller.userId, caller.sessionId);
    this.#audit.record('sign_out', { result: 'ok', address, user_id: caller.userId });
  }

  /** Another account's session is as unknown as one that never was. */
  async revoke({ userId }: Owner, sessionId: string, address: string): Promise<void> {
    const revoked = await deleteSession(this.#db, userId, sessionId);
    this.#audit.record('session_revoked', { result: revoked ? 'ok' : 'not_found', address, user_id: userId });
    if (!revoked) throw new AppError('not_found', { sentence: 'You have no such session.' });
  }

  /** Returns how many there were. */
  async revokeAll({ userId }: Owner, address: string): Promise<number> {
    const sessions = await deleteSessions(this.#db, userId);
    this.#audit.record('session_revoked', { result: 'ok', address, user_id: userId, sessions });
    return sessions;
  }
}

type Owner = Pick<SessionCaller, 'userId'>;

const expiryFrom = (now: Date) => new Date(now.getTime() + SESSION_LIFETIME_MS);
