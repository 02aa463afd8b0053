/** The routes of the web app's consent page. */
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { getIssuer } from '../http/base-url.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { ConnectionAnswer, ConnectionDecision, ConnectionPreview, ConnectionRequest } from './connections.schemas.ts';
import type { ConsentService } from './consent.service.ts';

const route = describeRoutes('connections');

export const connectionRoutes =
  (consent: ConsentService, baseUrl: string | undefined): Routes =>
  (app) => {
    for (const schema of [ConnectionAnswer, ConnectionDecision, ConnectionPreview, ConnectionRequest])
      app.addSchema(schema);

    app.post(
      '/v1/connections/preview',
      route('preview_connection', 'See who asks to be connected, and where the answer goes', {
        body: named(ConnectionRequest),
        data: named(ConnectionPreview),
        refuses: ['connection_not_possible', 'not_found'],
      }),
      async (request) => ok(await consent.preview(sessionOf(request), request.body.query, getIssuer(request, baseUrl))),
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
        const issuer = getIssuer(request, baseUrl);
        return ok({ redirect_to: await consent.decide(sessionOf(request), request.body, issuer, request.ip) });
      },
    );
  };
