import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { TokenCreate, TokenMinted, TokenOut } from './tokens.schemas.ts';
import type { TokensService } from './tokens.service.ts';

const tags = ['tokens'];

export const tokenRoutes =
  (tokens: TokensService): Routes =>
  (app) => {
    for (const schema of [TokenCreate, TokenMinted, TokenOut]) app.addSchema(schema);

    app.post(
      '/v1/tokens',
      {
        schema: {
          ...{ operationId: 'mint_token', tags, summary: 'Mint an access token for an agent' },
          body: named(TokenCreate),
          response: { 200: envelopeOf(named(TokenMinted)) },
        },
      },
      async (request) => {
        const { name = null, scopes = ['tasks:read'], expires_at: expiresAt = null } = request.body;
        const { max_stage: maxStage = null, max_open_tasks: maxOpenTasks = null } = request.body;
        const wanted = { name, scopes, expiresAt, maxStage, maxOpenTasks };
        return ok(await tokens.mint(sessionOf(request), wanted, request.ip));
      },
    );

    app.get(
      '/v1/tokens',
      {
        schema: {
          ...{ operationId: 'list_tokens', tags, summary: 'List your access tokens, newest first' },
          response: { 200: envelopeOf(Type.Array(named(TokenOut))) },
        },
      },
      async (request) => ok(await tokens.list(sessionOf(request))),
    );

    app.delete(
      '/v1/tokens/:token_id',
      {
        schema: {
          ...{ operationId: 'revoke_token', tags, summary: 'Revoke an access token' },
          params: Type.Object({ token_id: Type.String({ format: 'uuid' }) }),
          response: { 200: envelopeOf(Type.Object({ revoked: Type.Boolean() })) },
        },
      },
      async (request) => {
        await tokens.revoke(sessionOf(request), request.params.token_id, request.ip);
        return ok({ revoked: true });
      },
    );
  };
