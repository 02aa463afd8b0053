/** The web app's sign-in at an identity provider. Not part of the API: apps use `/v1/auth/idp`. */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from '../../http/app.ts';
import { sessionOf } from '../../http/authentication.ts';
import { baseUrlOfRequest } from '../../http/base-url.ts';
import { ok } from '../../http/envelope.ts';
import { readFormBodies } from '../../http/form-body.ts';
import { findSignOutHint, rememberSignOutHint } from '../../http/web-app/sign-out-hint.ts';
import { AppError } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { requesterOf } from '../sign-in.routes.ts';
import { SignInHeaders } from '../sign-in.schemas.ts';
import type { WebSignInService } from './web-sign-in.service.ts';

const ProviderAnswer = Type.Object({
  ticket: Type.String({ maxLength: 2_048 }),
  answer: Type.String({ maxLength: 8_192 }),
});

export const webSignInRoutes =
  (service: WebSignInService, baseUrl: string | undefined): Routes =>
  (app) => {
    const baseUrlOf = (request: FastifyRequest) => baseUrlOfRequest(request, baseUrl);
    app.post('/app/provider/begin', { schema: { hide: true } }, async (request) =>
      ok(await service.begin(baseUrlOf(request))),
    );
    app.post(
      '/app/provider/finish',
      { schema: { hide: true, headers: SignInHeaders, body: ProviderAnswer }, bodyLimit: 16 * 1024 },
      async (request, reply) => {
        const answered = { ...request.body, invite: request.headers['x-invite'] };
        const { result, signOutHint } = await service.finish(answered, requesterOf(request));
        rememberSignOutHint(request, reply, signOutHint);
        return ok(result);
      },
    );
    app.get('/app/provider/sign-out', { schema: { hide: true } }, async (request) =>
      ok({ url: await service.signOutUrl(sessionOf(request), baseUrlOf(request), findSignOutHint(request)) }),
    );
    app.register(async (scope) => acceptLogoutTokens(scope as App, service));
  };

/** OpenID Connect Back-Channel Logout 1.0: the provider posts a form, from its server to ours. */
function acceptLogoutTokens(app: App, service: WebSignInService): void {
  readFormBodies(app, 16 * 1024);
  app.post<{ Body: Readonly<Record<string, string>> | undefined }>(
    '/app/provider/sign-out',
    { schema: { hide: true } },
    async ({ body, ip }) => {
      const token = body?.logout_token;
      if (token === undefined) throw new AppError('wrong_logout_token');
      await service.endSessions(token, ip);
      return ok({});
    },
  );
}
