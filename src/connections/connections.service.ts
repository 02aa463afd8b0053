/**
 * Exchanges the secrets of assistants: a code for the first pair, a refresh token for the next pair. A connection is a
 * row of `access_tokens`, so it is listed, limited, revoked and named in timelines like a token, and its id stays while
 * the secrets change.
 *
 * The secret is looked up first, the limit of refreshes second and the client last: nobody makes this service fetch a
 * document without a secret of ours. If a code is used twice, or a refresh token long after it was exchanged, one of the two users stole it, so the
 * connection ends. Several calls of one assistant may refresh at once, so for a short while each exchange of the same
 * refresh token gets a pair of its own.
 */
import { createHash } from 'node:crypto';
import type { TokensService } from '../accounts/tokens.service.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { Scope, TokenCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { hashToken, isEqualSecret, newToken } from '../lib/secrets.ts';
import { UnacceptableClient } from './client-metadata.ts';
import type { ClientClaim, ClientProof } from './client-proof.ts';
import {
  type ConnectionCode,
  deleteOpenCodes,
  deleteSecret,
  findCode,
  findConnection,
  insertSecrets,
  lockConnection,
  spendCode,
  spendRefreshToken,
} from './connections.store.ts';
import { OAuthError } from './oauth-error.ts';

export const CONNECTION_PREFIX = 'ct_';
const REFRESH_PREFIX = 'cr_';
/** Every call looks the token up, so revoking acts at once. A shorter life would only end running conversations. */
const ACCESS_LIFETIME_MS = 24 * 3_600_000;
const REFRESH_LIFETIME_MS = 90 * 24 * 3_600_000;
/** For how long after its first exchange, and how often, a refresh token can be exchanged. */
const GRACE_MS = 120_000;
const MOST_SUCCESSORS = 10;
const VERIFIER = /^[\w.~-]{43,128}$/;

export interface ConnectionsParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: TokensService;
  readonly proof: ClientProof;
  readonly limitRefreshes: (connectionId: string) => Promise<void>;
  readonly audit: Audit;
  /** Called after the commit of a new connection. */
  readonly made: (userId: string, client: { readonly name: string; readonly host: string | null }) => void;
}

/** Who asks, and by which addresses an assertion may name this service. */
export interface Asking {
  readonly claim: Omit<ClientClaim, 'id'> & { readonly id: string | undefined };
  readonly audiences: readonly string[];
  readonly address: string;
}

interface CodeExchange extends Asking {
  readonly code: string;
  readonly redirectUri: string | undefined;
  readonly verifier: string;
}

export interface Pair {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly Scope[];
}

export class ConnectionsService {
  readonly #parts: ConnectionsParts;

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  async exchangeCode({ code, redirectUri, verifier, ...asking }: CodeExchange): Promise<Pair> {
    const { db, clock } = this.#parts;
    const found = await findCode(db, hashToken(code));
    if (found?.token_id) await this.#end(found.user_id, found.token_id, 'code_reused', asking.address);
    if (!found || found.token_id || found.suspended_at || found.expires_at <= clock.now())
      throw new OAuthError('invalid_grant', 'The code is wrong, expired or already used.');
    if (redirectUri !== undefined && redirectUri !== found.redirect_uri)
      throw new OAuthError('invalid_grant', 'The redirect_uri is not the one that the code was sent to.');
    if (!isVerifierOf(verifier, found.challenge))
      throw new OAuthError('invalid_grant', 'The code_verifier does not match the code_challenge.');
    await this.#requireClient(found, asking);
    return this.#begin(found, asking.address);
  }

  /** In the transaction of signing out everywhere: a code that a thief agreed to becomes no connection afterwards. */
  forgetCodes(trx: Db, userId: string): Promise<void> {
    return deleteOpenCodes(trx, userId);
  }

  async #begin(found: ConnectionCode, address: string): Promise<Pair> {
    const { db, tokens, audit, made } = this.#parts;
    const { user_id, client_id, client_name, client_host, code_hash, rails } = found;
    const { scopes, max_stage, max_open_tasks, shortest_wait = null, expires_at } = rails;
    const end = expires_at === null ? null : new Date(expires_at);
    const connection = {
      id: newId(),
      user_id,
      name: client_name || null,
      prefix: CONNECTION_PREFIX,
      scopes: JSON.stringify(scopes),
      expires_at: end,
      max_stage,
      max_open_tasks,
      shortest_wait,
      client_id,
      client_host,
    };
    const { pair, rows } = this.#newPair(connection.id, end, scopes);
    const isFirst = await transact(db, async (trx) => {
      if (!(await spendCode(trx, code_hash, connection.id))) return false;
      await tokens.addConnection(trx, connection);
      await insertSecrets(trx, rows);
      return true;
    });
    if (!isFirst) {
      const spent = await findCode(db, code_hash);
      if (spent?.token_id) await this.#end(user_id, spent.token_id, 'code_reused', address);
      throw new OAuthError('invalid_grant', 'The code is wrong, expired or already used.');
    }
    const details = { address, user_id, token_id: connection.id, client: client_host, scopes };
    audit.record('connection_made', { result: 'ok', ...details });
    made(user_id, { name: client_name, host: client_host });
    return pair;
  }

  async refresh({ refreshToken, ...asking }: Asking & { readonly refreshToken: string }): Promise<Pair> {
    const { db, clock, limitRefreshes } = this.#parts;
    const secretHash = hashToken(refreshToken);
    const found = await findConnection(db, secretHash);
    const now = clock.now();
    // No secret outlives its connection.
    const isOver = !found || found.secret_expires_at <= now;
    if (isOver || found.kind !== 'refresh' || found.suspended_at) throw wrongRefreshToken();
    await limitRefreshes(found.id);
    await this.#requireClient(found, asking);
    const { pair, rows } = this.#newPair(found.id, found.expires_at, found.scopes);
    const graceFrom = new Date(now.getTime() - GRACE_MS);
    const isSpent = await transact(db, async (trx) => {
      if (!(await lockConnection(trx, found.id))) return false;
      if (!(await spendRefreshToken(trx, secretHash, { now, graceFrom, most: MOST_SUCCESSORS }))) return false;
      await insertSecrets(trx, rows);
      return true;
    });
    if (isSpent) return pair;
    const current = await findConnection(db, secretHash);
    if (current?.used_at && current.used_at > graceFrom)
      throw new OAuthError('temporarily_unavailable', 'This refresh token was exchanged too often in a short time.');
    await this.#end(found.user_id, found.id, 'refresh_reused', asking.address);
    throw wrongRefreshToken();
  }

  /** RFC 7009: an unknown token needs no revoking. A refresh token stands for the connection. */
  async revoke({ token, ...asking }: Asking & { readonly token: string }): Promise<void> {
    const { db } = this.#parts;
    const secretHash = hashToken(token);
    const found = await findConnection(db, secretHash);
    if (!found) return;
    await this.#requireClient(found, asking);
    if (found.kind === 'refresh') await this.#end(found.user_id, found.id, 'revoked_by_client', asking.address);
    else await deleteSecret(db, secretHash);
  }

  async authenticate(token: string): Promise<TokenCaller | undefined> {
    const { db, clock, tokens } = this.#parts;
    const found = await findConnection(db, hashToken(token));
    if (found?.kind !== 'access' || found.secret_expires_at <= clock.now() || found.suspended_at) return undefined;
    return tokens.toCaller(found);
  }

  async #requireClient(
    { client_id: clientId, user_id }: { readonly client_id: string | null; readonly user_id: string },
    { claim, audiences }: Asking,
  ): Promise<void> {
    // An assertion names its client by itself.
    const id = claim.id ?? (claim.assertion === undefined ? undefined : clientId);
    if (clientId === null || id !== clientId)
      throw new OAuthError('invalid_grant', 'This was not issued to the client that shows it.');
    const isProven = await this.#parts.proof
      .isProven({ ...claim, id: clientId }, audiences, user_id)
      .catch(toUnavailable);
    if (!isProven) throw new OAuthError('invalid_client', 'The client is unknown here, or did not show who it is.');
  }

  async #end(userId: string, tokenId: string, result: string, address: string): Promise<void> {
    if (await this.#parts.tokens.endConnection(userId, tokenId))
      this.#parts.audit.record('connection_ended', { result, address, user_id: userId, token_id: tokenId });
  }

  #newPair(tokenId: string, end: Date | null, scopes: readonly Scope[]) {
    const now = this.#parts.clock.now().getTime();
    const until = (lifetimeMs: number) =>
      new Date(Math.min(now + lifetimeMs, end?.getTime() ?? Number.POSITIVE_INFINITY));
    const [accessToken, refreshToken] = [newToken(CONNECTION_PREFIX), newToken(REFRESH_PREFIX)];
    const accessUntil = until(ACCESS_LIFETIME_MS);
    const expiresInSeconds = Math.max(0, Math.floor((accessUntil.getTime() - now) / 1_000));
    const pair: Pair = { accessToken, refreshToken, expiresInSeconds, scopes };
    const row = (kind: 'access' | 'refresh', secret: string, expires_at: Date) => ({
      secret_hash: hashToken(secret),
      token_id: tokenId,
      kind,
      expires_at,
      used_at: null,
    });
    return {
      pair,
      rows: [row('access', accessToken, accessUntil), row('refresh', refreshToken, until(REFRESH_LIFETIME_MS))],
    };
  }
}

const wrongRefreshToken = () => new OAuthError('invalid_grant', 'The refresh token is wrong, expired or revoked.');

const isVerifierOf = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && isEqualSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);

/** `invalid_client` would make the assistant discard a registration that still works. */
function toUnavailable(error: unknown): never {
  if (!(error instanceof UnacceptableClient)) throw error;
  throw new OAuthError('temporarily_unavailable', 'The document of the client cannot be read at the moment.');
}
