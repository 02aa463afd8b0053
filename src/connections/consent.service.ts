/**
 * Asks a person before an assistant is connected, and acts on the answer. The request is checked when it is shown and
 * again when it is answered; only the person's answer leads out of the app.
 */
import type { Static } from 'typebox';
import type { TokensService } from '../accounts/tokens.service.ts';
import { requireLiveSession } from '../db/live-session.ts';
import type { Db } from '../db/schema.ts';
import type { Rails } from '../db/tables/connections.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import {
  type AuthorizationRequest,
  isResourceOf,
  readAuthorizationRequest,
  WrongRequest,
} from './authorization-request.ts';
import { type Client, UnacceptableClient } from './client-metadata.ts';
import type { ClientProof } from './client-proof.ts';
import type { ConnectionDecision, ConnectionPreview } from './connections.schemas.ts';
import { findAnyOfClient, findNewest, insertCode } from './connections.store.ts';
import { isRegistered, type RedirectKind, redirectKindOf, redirectTarget, withAnswer } from './redirect-uri.ts';

const CODE_PREFIX = 'cc_';
const CODE_LIFETIME_MS = 60_000;

export interface ConsentParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tokens: Pick<TokensService, 'getEnd' | 'requireRoom'>;
  readonly clients: Pick<ClientProof, 'find'>;
  readonly limitRequests: (userId: string) => Promise<void>;
  readonly audit: Audit;
}

interface Judged {
  readonly request: AuthorizationRequest;
  readonly client: Client;
  readonly kind: RedirectKind;
}

export class ConsentService {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  async preview({ userId }: SessionCaller, query: string, issuer: string): Promise<Static<typeof ConnectionPreview>> {
    const { request, client, kind } = await this.#judge(userId, query, issuer);
    const held = await findNewest(this.#parts.db, userId, client.id, this.#parts.clock.now());
    return {
      client: { name: client.name || null, host: client.host },
      target: { kind, address: redirectTarget(request.redirectUri, kind) },
      scopes: [...request.scopes],
      held: held ? { ...held, expires_at: held.expires_at?.toISOString() ?? null } : null,
    };
  }

  /** Returns where the browser goes next: to the assistant, with a code or with the refusal. */
  async decide(
    caller: SessionCaller,
    { query, agrees, rails }: Static<typeof ConnectionDecision>,
    issuer: string,
    address: string,
  ): Promise<string> {
    const { userId } = caller;
    const { request, client } = await this.#judge(userId, query, issuer);
    const { redirectUri, state } = request;
    const code = agrees ? await this.#storeCode(caller, request, client, rails) : undefined;
    const result = agrees ? 'agreed' : 'refused';
    this.#parts.audit.record('connection_consent', { result, address, user_id: userId, client: client.host });
    const error = agrees ? undefined : 'access_denied';
    return withAnswer(redirectUri, { code, error, state, iss: issuer });
  }

  async #storeCode(caller: SessionCaller, request: AuthorizationRequest, client: Client, rails: Rails | undefined) {
    const { userId } = caller;
    if (!rails) throw new InvalidInput({ type: 'missing', loc: ['body', 'rails'], msg: 'Field required' });
    const { db, clock, tokens } = this.#parts;
    await tokens.requireRoom(userId);
    const end = await tokens.getEnd(userId, rails.expires_at);
    const { scopes, max_stage, max_open_tasks } = rails;
    const held = await findNewest(db, userId, client.id, clock.now());
    const shortest_wait = rails.shortest_wait === undefined ? held?.shortest_wait : rails.shortest_wait;
    const stored: Rails = { scopes, max_stage, expires_at: end?.toISOString() ?? null, max_open_tasks, shortest_wait };
    const code = newToken(CODE_PREFIX);
    const row = {
      code_hash: hashToken(code),
      user_id: userId,
      client_id: client.id,
      client_name: client.name,
      client_host: client.host,
      redirect_uri: request.redirectUri,
      challenge: request.challenge,
      rails: JSON.stringify(stored),
      expires_at: new Date(clock.now().getTime() + CODE_LIFETIME_MS),
      token_id: null,
    };
    await transact(db, async (trx) => {
      await requireLiveSession(trx, caller);
      await insertCode(trx, row);
    });
    return code;
  }

  async #judge(userId: string, query: string, issuer: string): Promise<Judged> {
    await this.#parts.limitRequests(userId);
    try {
      const request = readAuthorizationRequest(query, (resource) => isResourceOf(issuer, resource));
      const isConnected = (await findAnyOfClient(this.#parts.db, request.clientId)) !== undefined;
      const client = await this.#parts.clients.find(request.clientId, { userId, isConnected });
      const kind = redirectKindOf(request.redirectUri);
      if (kind === undefined || !isRegistered(request.redirectUri, client.redirectUris))
        throw new WrongRequest('The answer would go to an address that the assistant did not register.');
      return { request, client, kind };
    } catch (error) {
      if (!(error instanceof WrongRequest || error instanceof UnacceptableClient)) throw error;
      throw new AppError('connection_not_possible', {
        sentence: `This assistant cannot be connected. ${error.message}`,
      });
    }
  }
}
