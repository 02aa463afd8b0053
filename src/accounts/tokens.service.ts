/**
 * Access for agents, limited by scopes and guard-rails: Personal Access Tokens, which are shown once and stored hashed,
 * and connections, which keep their secrets in `src/connections`.
 */
import type { Insertable } from 'kysely';
import type { Static } from 'typebox';
import { requireLiveSession } from '../db/live-session.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller, TokenCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import type { TokenCreate } from './tokens.schemas.ts';
import {
  type AccessToken,
  countTokens,
  deleteConnection,
  deleteToken,
  deleteTokens,
  findShortestWait,
  findToken,
  insertToken,
  listTokens,
  touchToken,
  updateShortestWait,
} from './tokens.store.ts';
import { findUser, lockUser, requireUser } from './users.store.ts';

export const TOKEN_PREFIX = 'pk_';
const PREFIX_LENGTH = 11;
/** Expired tokens count too, because they are listed until they are revoked. */
const MAX_TOKENS = 100;
/** `last_used_at` helps users decide what to revoke. Accurate to the minute is enough, without a write per request. */
const TOUCH_EVERY_MS = 60_000;

const noSuchToken = () => new AppError('not_found', { sentence: 'You have no such access token.' });

/** A connection as it is first stored. */
export type Connection = Omit<Insertable<Database['access_tokens']>, 'token_hash' | 'created_at' | 'last_used_at'>;

/** Called after the commit of a new token. */
export type TokenMinted = (caller: SessionCaller, name: string | null) => void;

export class TokensService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #minted: TokenMinted;

  constructor(db: Db, clock: Clock, audit: Audit, minted: TokenMinted) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#minted = minted;
  }

  /** Returns the token. The database stores only its hash. */
  async mint(
    caller: SessionCaller,
    request: Static<typeof TokenCreate>,
    address: string,
  ): Promise<AccessToken & { token: string }> {
    const { userId } = caller;
    const now = this.#clock.now();
    const { name = null, scopes = ['tasks:read'], max_stage = null, max_open_tasks = null } = request;
    const expires_at = await this.getEnd(userId, request.expires_at ?? null);
    const token = newToken(TOKEN_PREFIX);
    const row = {
      id: newId(),
      user_id: userId,
      name,
      token_hash: hashToken(token),
      prefix: token.slice(0, PREFIX_LENGTH),
      scopes: JSON.stringify(scopes),
      created_at: now,
      last_used_at: null,
      expires_at,
      max_stage,
      max_open_tasks,
      client_id: null,
      client_host: null,
    };
    const stored = await transact(this.#db, async (trx) => {
      await requireLiveSession(trx, caller);
      return this.#insert(trx, row);
    });
    this.#audit.record('token_minted', {
      result: 'ok',
      address,
      user_id: userId,
      token_id: stored.id,
      scopes,
    });
    this.#minted(caller, name);
    return { ...stored, token };
  }

  async list({ userId }: Pick<SessionCaller, 'userId'>, db = this.#db): Promise<AccessToken[]> {
    return listTokens(db, userId);
  }

  async revoke({ userId }: SessionCaller, tokenId: string, address: string): Promise<void> {
    const isRevoked = await deleteToken(this.#db, userId, tokenId);
    if (isRevoked) announce(this.#db, [userId]);
    this.#audit.record('token_revoked', {
      result: isRevoked ? 'ok' : 'not_found',
      address,
      user_id: userId,
      token_id: tokenId,
    });
    if (!isRevoked) throw noSuchToken();
  }

  /** In minutes; null for no limit. The record of a token has exactly its fields, so this rail is read by itself. */
  async getShortestWait({ userId }: SessionCaller, tokenId: string): Promise<number | null> {
    const token = await findShortestWait(this.#db, userId, tokenId);
    if (!token) throw noSuchToken();
    return token.shortest_wait;
  }

  /** Holds for what the token does from now on. */
  async setShortestWait(
    { userId }: SessionCaller,
    tokenId: string,
    minutes: number | null,
    address: string,
  ): Promise<void> {
    if (!(await updateShortestWait(this.#db, userId, tokenId, minutes))) throw noSuchToken();
    announce(this.#db, [userId]);
    this.#audit.record('token_limited', { result: 'ok', address, user_id: userId, token_id: tokenId });
  }

  /** In the transaction of signing out everywhere: ends tokens and connections of the account, and returns how many. */
  async end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    announce(trx, [userId]);
    return deleteTokens(trx, userId, ids);
  }

  /** Part of the transaction that spends the code of the connection. */
  addConnection(trx: Db, connection: Connection): Promise<AccessToken> {
    return this.#insert(trx, {
      ...connection,
      // Matches no secret: a connection is found by its rows in `connection_secrets`.
      token_hash: `connection ${connection.id}`,
      created_at: this.#clock.now(),
      last_used_at: null,
    });
  }

  /** False if it had ended already. */
  async endConnection(userId: string, id: string): Promise<boolean> {
    const isEnded = await deleteConnection(this.#db, id);
    if (isEnded) announce(this.#db, [userId]);
    return isEnded;
  }

  /** Throws if the account has as many tokens and connections as it can have. */
  async requireRoom(userId: string): Promise<void> {
    if ((await countTokens(this.#db, userId)) >= MAX_TOKENS) throw new AppError('too_many_tokens');
  }

  async #insert(trx: Db, row: Insertable<Database['access_tokens']>): Promise<AccessToken> {
    requireUser(await lockUser(trx, row.user_id));
    if ((await countTokens(trx, row.user_id)) >= MAX_TOKENS) throw new AppError('too_many_tokens');
    announce(trx, [row.user_id]);
    return insertToken(trx, row);
  }

  /** The chosen end of a token or connection; without an offset it is read in the user's time zone. */
  async getEnd(userId: string, text: string | null): Promise<Date | null> {
    if (text === null) return null;
    const parsed = parseDateTime(text);
    const user = await findUser(this.#db, userId);
    const instant = parsed && toInstant(parsed, user?.timezone ?? 'UTC');
    if (instant && instant > this.#clock.now()) return instant;
    throw new InvalidInput({ type: 'value_error', loc: ['body', 'expires_at'], msg: 'Input should be in the future' });
  }

  async authenticate(token: string): Promise<TokenCaller | undefined> {
    const found = await findToken(this.#db, hashToken(token));
    return found && this.toCaller(found);
  }

  /** Undefined if the end that its owner chose has come. */
  async toCaller(found: AccessToken): Promise<TokenCaller | undefined> {
    const now = this.#clock.now();
    if (found.expires_at && found.expires_at <= now) return undefined;
    const { id, user_id, scopes, last_used_at } = found;
    const { max_stage: maxStage, max_open_tasks: maxOpenTasks, shortest_wait: shortestWait } = found;
    if (!last_used_at || now.getTime() - last_used_at.getTime() >= TOUCH_EVERY_MS) await touchToken(this.#db, id, now);
    const isConnection = found.client_id !== null;
    return { kind: 'token', userId: user_id, tokenId: id, scopes, maxStage, maxOpenTasks, shortestWait, isConnection };
  }
}
