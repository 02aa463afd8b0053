import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import { TokenCreate, TokenMinted, TokenOut, TokenShortestWait } from './tokens.schemas.ts';
import type { TokensService } from './tokens.service.ts';

const route = describeRoutes('tokens');
const params = Type.Object({ token_id: Type.String({ format: 'uuid' }) });

/** Null for a token that its owner pasted somewhere. */
const withClient = <T extends { name: string | null; client_id: string | null; client_host: string | null }>(
  token: T,
) => ({ ...token, client: token.client_id === null ? null : { name: token.name, host: token.client_host } });

export const tokenRoutes =
  (tokens: TokensService): Routes =>
  (app) => {
    for (const schema of [TokenCreate, TokenMinted, TokenOut, TokenShortestWait]) app.addSchema(schema);

    app.post(
      '/v1/tokens',
      route('mint_token', 'Mint an access token for an agent', {
        body: named(TokenCreate),
        data: named(TokenMinted),
        refuses: ['too_many_tokens', 'idempotency_key_spent'],
        showsSecret: true,
      }),
      async (request) => ok(await tokens.mint(sessionOf(request), request.body, request.ip)),
    );

    app.get(
      '/v1/tokens',
      route('list_tokens', 'List your access tokens and connections, newest first', {
        data: Type.Array(named(TokenOut)),
      }),
      async (request) => ok((await tokens.list(sessionOf(request))).map(withClient)),
    );

    app.delete(
      '/v1/tokens/:token_id',
      route('revoke_token', 'Revoke an access token or a connection', {
        params,
        data: Type.Object({ revoked: Type.Boolean() }),
      }),
      async (request) => {
        await tokens.revoke(sessionOf(request), request.params.token_id, request.ip);
        return ok({ revoked: true });
      },
    );

    app.get(
      '/v1/tokens/:token_id/shortest-wait',
      route('read_shortest_wait', 'Read the shortest wait between nudges that an access token can bring about', {
        params,
        data: named(TokenShortestWait),
      }),
      async (request) => ok({ minutes: await tokens.getShortestWait(sessionOf(request), request.params.token_id) }),
    );

    app.put(
      '/v1/tokens/:token_id/shortest-wait',
      route('set_shortest_wait', 'Set the shortest wait between nudges that an access token can bring about', {
        params,
        body: named(TokenShortestWait),
        data: named(TokenShortestWait),
      }),
      async (request) => {
        const { minutes } = request.body;
        await tokens.setShortestWait(sessionOf(request), request.params.token_id, minutes, request.ip);
        return ok({ minutes });
      },
    );
  };
