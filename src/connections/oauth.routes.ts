/**
 * The authorization server as assistants see it (OAuth 2.1): where they learn about it, register, send a person, and
 * exchange secrets. Answers and refusals are in OAuth's words, not in the envelope of the API.
 *
 * `/oauth/authorize` reads nothing: it passes the query on to the consent page of the app, which has the session.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { getIssuer } from '../http/base-url.ts';
import { parseJson } from '../http/body.ts';
import { prepareFailure } from '../http/failures.ts';
import { SCOPES } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { InvalidInput } from '../lib/errors.ts';
import { parseForm } from '../lib/form.ts';
import { hasRepeatedParameter, isResourceOf } from './authorization-request.ts';
import { CLIENT_AUTHS, readRegistration, UnacceptableClient } from './client-metadata.ts';
import { ALGORITHMS } from './client-proof.ts';
import type { Asking, ConnectionsService, Pair } from './connections.service.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import type { RegisteredClients } from './registered-clients.ts';

interface OAuthParts {
  readonly connections: ConnectionsService;
  readonly registered: RegisteredClients;
  readonly clock: Clock;
  readonly baseUrl: string | undefined;
}

const BODY_LIMIT_BYTES = 16 * 1024;
const GRANT_TYPES = ['authorization_code', 'refresh_token'] as const;

export const oauthRoutes =
  (parts: OAuthParts): Routes =>
  (app) => {
    app.register(async (scope: App) => {
      acceptTexts(scope);
      scope.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
      scope.addHook('onRequest', async (request) => void getIssuer(request, parts.baseUrl));
      const open = { config: { crossOrigin: true }, schema: { hide: true }, bodyLimit: BODY_LIMIT_BYTES } as const;
      scope.get('/.well-known/oauth-authorization-server', open, async (request) =>
        serverMetadata(getIssuer(request, parts.baseUrl)),
      );
      scope.get('/oauth/authorize', { schema: { hide: true } }, async (request, reply) => {
        const query = new URLSearchParams({ query: request.raw.url?.split('?').slice(1).join('?') ?? '' });
        return reply.header('cross-origin-opener-policy', 'unsafe-none').redirect(`/app/connect?${query}`, 303);
      });
      scope.post('/oauth/register', open, async ({ body }, reply) =>
        reply.code(201).send(register(parseJson(String(body ?? '')), parts)),
      );
      scope.post('/oauth/token', open, async (request) => {
        const form = readForm(request);
        const asking = readAsking(request, form, getIssuer(request, parts.baseUrl));
        return toAnswer(await exchange(form, asking, parts.connections));
      });
      scope.post('/oauth/revoke', open, async (request) => {
        const form = readForm(request);
        const asking = readAsking(request, form, getIssuer(request, parts.baseUrl));
        await parts.connections.revoke({ token: getField(form, 'token'), ...asking });
        return {};
      });
    });
  };

/** Bodies stay texts: each route reads its own kind. */
function acceptTexts(scope: App): void {
  scope.removeAllContentTypeParsers();
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    scope.addContentTypeParser(type, { parseAs: 'string' }, async (_request: FastifyRequest, body: string) => body);
  }
}

const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  service_documentation: `${issuer}/guide`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: CLIENT_AUTHS,
  token_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHS,
  revocation_endpoint_auth_signing_alg_values_supported: ALGORITHMS,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

function register(body: unknown, { registered, clock }: OAuthParts) {
  const registration = readRegistration(body);
  const { id, secret } = registered.register(registration);
  return {
    client_id: id,
    client_id_issued_at: Math.floor(clock.now().getTime() / 1_000),
    ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
    ...(registration.name !== '' && { client_name: registration.name }),
    redirect_uris: registration.redirectUris,
    grant_types: GRANT_TYPES,
    response_types: ['code'],
    token_endpoint_auth_method: registration.auth,
  };
}

function exchange(form: URLSearchParams, asking: Asking, connections: ConnectionsService): Promise<Pair> {
  switch (getField(form, 'grant_type')) {
    case 'authorization_code': {
      const redirectUri = form.get('redirect_uri') ?? undefined;
      const verifier = getField(form, 'code_verifier');
      return connections.exchangeCode({ code: getField(form, 'code'), redirectUri, verifier, ...asking });
    }
    case 'refresh_token':
      return connections.refresh({ refreshToken: getField(form, 'refresh_token'), ...asking });
    default:
      throw new OAuthError('unsupported_grant_type', `grant_type has to be ${GRANT_TYPES.join(' or ')}.`);
  }
}

const toAnswer = ({ accessToken, refreshToken, expiresInSeconds, scopes }: Pair) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInSeconds,
  refresh_token: refreshToken,
  scope: scopes.join(' '),
});

function readForm({ body, headers }: FastifyRequest): URLSearchParams {
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    throw new OAuthError('invalid_request', 'The body has to be a form (application/x-www-form-urlencoded).');
  const form = parseForm(String(body ?? ''));
  if (hasRepeatedParameter(form)) throw new OAuthError('invalid_request', 'A parameter comes twice.');
  return form;
}

function getField(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function readAsking(request: FastifyRequest, form: URLSearchParams, issuer: string): Asking {
  if (!form.getAll('resource').every((resource) => isResourceOf(issuer, resource)))
    throw new OAuthError('invalid_target', 'The resource is not one of this service.');
  const basic = readBasic(request.headers.authorization);
  const id = basic?.id ?? form.get('client_id') ?? undefined;
  if (basic && form.has('client_id') && form.get('client_id') !== basic.id)
    throw new OAuthError('invalid_request', 'The request names two clients.');
  const assertion = form.get('client_assertion') ?? undefined;
  if (assertion !== undefined && form.get('client_assertion_type') !== ASSERTION_TYPE)
    throw new OAuthError('invalid_request', `client_assertion_type has to be ${ASSERTION_TYPE}.`);
  return {
    claim: { id, secret: basic?.secret ?? form.get('client_secret') ?? undefined, assertion },
    audiences: [issuer, `${issuer}/oauth/token`],
    address: request.ip,
  };
}

/** Id and secret are form-encoded inside of it (RFC 6749, section 2.3.1). */
function readBasic(header: string | undefined): { readonly id: string; readonly secret: string } | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64')
    .toString()
    .split(/:(.*)/s)
    .map((part) => new URLSearchParams(`part=${part.replaceAll('&', '%26')}`).get('part') ?? '');
  return { id, secret };
}

const RETRY_AFTER_SECONDS = 2;

function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const send = (status: number, code: OAuthErrorCode, message: string) =>
    reply.code(status).send({ error: code, error_description: message });
  if (error instanceof UnacceptableClient)
    return send(400, error.kind === 'redirect' ? 'invalid_redirect_uri' : 'invalid_client_metadata', error.message);
  if (error instanceof InvalidInput) return send(400, 'invalid_request', String(error.problems[0]?.msg));
  if (!(error instanceof OAuthError)) {
    const { status, message } = prepareFailure(error, request, reply);
    return send(status, status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_request', message);
  }
  if (error.error === 'temporarily_unavailable') reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (error.error === 'invalid_client') reply.header('www-authenticate', 'Basic realm="crescendo"');
  return send(STATUSES[error.error] ?? 400, error.error, error.message);
}

const STATUSES: Partial<Record<OAuthErrorCode, number>> = { invalid_client: 401, temporarily_unavailable: 503 };
