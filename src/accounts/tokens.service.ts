/** Personal Access Tokens: what an agent acts with. Shown once, stored hashed, bounded by scopes. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Scope, SessionCaller, TokenCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { Audit } from './audit.ts';
import { type AccessToken, deleteToken, findToken, insertToken, listTokens, touchToken } from './tokens.store.ts';
import { findUser } from './users.store.ts';

export const TOKEN_PREFIX = 'pk_';
const SHOWN_CHARACTERS = 11;
/** `last_used_at` is for a person deciding what to revoke: to the minute is enough, and spares a write per call. */
const TOUCH_EVERY_MS = 60_000;

export interface TokenRequest {
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  /** As written; without an offset it is read in the user's zone. */
  readonly expiresAt: string | null;
  readonly maxStage: number | null;
  readonly maxOpenTasks: number | null;
}

export class TokensService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #audit: Audit;

  constructor(db: Kysely<Database>, clock: Clock, audit: Audit) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
  }

  /** The token itself is returned here and never again. */
  async mint(
    { userId }: SessionCaller,
    request: TokenRequest,
    address: string,
  ): Promise<AccessToken & { token: string }> {
    const now = this.#clock.now();
    const expiresAt = request.expiresAt === null ? null : await this.#futureInstant(userId, request.expiresAt, now);
    const token = newToken(TOKEN_PREFIX);
    const row = {
      id: newId(),
      user_id: userId,
      name: request.name,
      token_hash: hashToken(token),
      prefix: token.slice(0, SHOWN_CHARACTERS),
      scopes: JSON.stringify(request.scopes),
      created_at: now,
      last_used_at: null,
      expires_at: expiresAt,
      max_stage: request.maxStage,
      max_open_tasks: request.maxOpenTasks,
    };
    const stored = await transact(this.#db, (trx) => insertToken(trx, row));
    this.#audit.record('token_minted', {
      result: 'ok',
      address,
      user_id: userId,
      token_id: stored.id,
      scopes: request.scopes,
    });
    return { ...stored, token };
  }

  async list({ userId }: SessionCaller): Promise<AccessToken[]> {
    return listTokens(this.#db, userId);
  }

  async revoke({ userId }: SessionCaller, tokenId: string, address: string): Promise<void> {
    const revoked = await deleteToken(this.#db, userId, tokenId);
    this.#audit.record('token_revoked', {
      result: revoked ? 'ok' : 'not_found',
      address,
      user_id: userId,
      token_id: tokenId,
    });
    if (!revoked) throw new AppError('not_found', { sentence: 'You have no such access token.' });
  }

  async #futureInstant(userId: string, text: string, now: Date): Promise<Date> {
    const written = parseDateTime(text);
    const user = await findUser(this.#db, userId);
    const instant = written && toInstant(written, user?.timezone ?? 'UTC');
    if (instant && instant > now) return instant;
    throw new InvalidInput({ type: 'value_error', loc: ['body', 'expires_at'], msg: 'Input should be in the future' });
  }

  async authenticate(token: string): Promise<TokenCaller | undefined> {
    const found = await findToken(this.#db, hashToken(token));
    const now = this.#clock.now();
    if (!found || (found.expires_at && found.expires_at <= now)) return undefined;
    const { id, user_id, scopes, last_used_at, max_stage: maxStage, max_open_tasks: maxOpenTasks } = found;
    if (!last_used_at || now.getTime() - last_used_at.getTime() >= TOUCH_EVERY_MS) await touchToken(this.#db, id, now);
    return { kind: 'token', userId: user_id, tokenId: id, scopes, maxStage, maxOpenTasks };
  }
}
