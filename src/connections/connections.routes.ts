/** The routes of the web app's consent page. */
import type { FastifyRequest } from 'fastify';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { issuerOf } from '../http/base-url.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { AppError } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { ConnectionAnswer, ConnectionDecision, ConnectionPreview, ConnectionRequest } from './connections.schemas.ts';
import type { ConsentService } from './consent.service.ts';

const route = describeRoutes('connections');

export const connectionRoutes =
  (consent: ConsentService, baseUrl: string | undefined): Routes =>
  (app) => {
    for (const schema of [ConnectionAnswer, ConnectionDecision, ConnectionPreview, ConnectionRequest])
      app.addSchema(schema);
    const getIssuer = (request: FastifyRequest): string => {
      const issuer = issuerOf(request, baseUrl);
      if (issuer === undefined) throw new AppError('not_found', { sentence: 'Assistants connect over HTTPS only.' });
      return issuer;
    };

    app.post(
      '/v1/connections/preview',
      route('preview_connection', 'See who asks to be connected, and where the answer goes', {
        body: named(ConnectionRequest),
        data: named(ConnectionPreview),
        refuses: ['connection_not_possible', 'not_found'],
      }),
      async (request) => ok(await consent.preview(sessionOf(request), request.body.query, getIssuer(request))),
    );

    app.post(
      '/v1/connections',
      route('decide_connection', 'Agree to a connection, or refuse it', {
        body: named(ConnectionDecision),
        data: named(ConnectionAnswer),
        refuses: ['connection_not_possible', 'not_found', 'too_many_tokens', 'idempotency_key_spent'],
        showsSecret: true,
      }),
      async (request) => {
        const { query, agrees, rails } = request.body;
        const decision = { query, agrees, rails };
        return ok({
          redirect_to: await consent.decide(sessionOf(request), decision, getIssuer(request), request.ip),
        });
      },
    );
  };
