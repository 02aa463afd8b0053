/** Starts and ends the session of the web app. */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from '../app.ts';
import { sessionOf } from '../authentication.ts';
import { ok } from '../envelope.ts';
import { clearAppSessionCookie, setAppSessionCookie } from './app-session.ts';

/**
 * What the app needs to know about signing in. `identity_provider` is null without one, or if it cannot be reached;
 * `passkey_origin` is where passkeys work, and null if they cannot.
 */
export type DescribeSignIn = () => Promise<{
  readonly identity_provider: object | null;
  readonly sign_up: string;
  readonly passkey_origin: string | null;
}>;

const hidden = { schema: { hide: true } };

export const appSessionRoutes =
  (describeSignIn: DescribeSignIn, isAdmin: (userId: string) => Promise<boolean>): Routes =>
  (app) => {
    app.get('/app/sign-in-options', hidden, async () => ok(await describeSignIn()));
    app.get('/app/session', hidden, async (request) => {
      const { sessionId, userId } = sessionOf(request);
      return ok({ id: sessionId, is_admin: await isAdmin(userId) });
    });
    app.post('/app/session', hidden, async (request, reply) => {
      setAppSessionCookie(request, reply);
      return ok({});
    });
    app.delete('/app/session', hidden, async (request, reply) => {
      clearAppSessionCookie(request, reply);
      return ok({});
    });
    app.register(async (scope) => acceptProviderForms(scope as App));
  };

const FORM_LIMIT_BYTES = 64 * 1024;

/**
 * The identity provider sends the browser back with a form post, the only way in which Apple passes an email
 * address. The form is passed on to the page in the URL fragment, which no server and no log sees. The page
 * checks whether this browser started the sign-in, because only the page has that state.
 */
function acceptProviderForms(app: App): void {
  const options = { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES } as const;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    options,
    async (_request: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
  app.post<{ Body: Readonly<Record<string, string>> | undefined }>('/app/sign-in', hidden, async (request, reply) => {
    const form = request.body ?? {};
    const fields = ['id_token', 'state', 'error'].flatMap((name) => (form[name] ? [[name, form[name]]] : []));
    reply.header('cache-control', 'no-store');
    return reply.redirect(`/app/sign-in#${new URLSearchParams(fields)}`, 303);
  });
}
