/** How the web app comes by its session, and gives it up. */
import type { Routes } from './app.ts';
import { forgetAppSession, keepAppSession } from './app-session.ts';
import { ok } from './envelope.ts';

/** Where a browser goes to sign in with an identity provider, and as whom. */
interface SignInProvider {
  readonly authorize_url: string;
  readonly client_id: string;
}

export const appSessionRoutes =
  (provider: SignInProvider | undefined): Routes =>
  (app) => {
    app.get('/app/sign-in-options', { schema: { hide: true } }, async () =>
      ok({ identity_provider: provider ?? null }),
    );
    app.post('/app/session', { schema: { hide: true } }, async (request, reply) => {
      keepAppSession(request, reply);
      return ok({});
    });
    app.delete('/app/session', { schema: { hide: true } }, async (request, reply) => {
      forgetAppSession(request, reply);
      return ok({});
    });
  };
