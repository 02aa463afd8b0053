/** How the web app comes by its session, and gives it up. */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from './app.ts';
import { forgetAppSession, keepAppSession } from './app-session.ts';
import { sessionOf } from './authentication.ts';
import { ok } from './envelope.ts';

/** Where a browser goes to sign in with an identity provider; null where there is none, or it does not say. */
export type DescribeSignIn = () => Promise<object | null>;

const hidden = { schema: { hide: true } };

export const appSessionRoutes =
  (describeSignIn: DescribeSignIn): Routes =>
  (app) => {
    app.get('/app/sign-in-options', hidden, async () => ok({ identity_provider: await describeSignIn() }));
    app.get('/app/session', hidden, async (request) => ok({ id: sessionOf(request).sessionId }));
    app.post('/app/session', hidden, async (request, reply) => {
      keepAppSession(request, reply);
      return ok({});
    });
    app.delete('/app/session', hidden, async (request, reply) => {
      forgetAppSession(request, reply);
      return ok({});
    });
    app.register(async (scope) => takeProviderForms(scope as App));
  };

const FORM_LIMIT_BYTES = 64 * 1024;

/**
 * A provider sends the browser back with a form, the one way in which Apple tells an email address.
 * The form is handed on to the page in the fragment of its address, which no server and no log sees;
 * whether this browser asked for it is judged there, since the page alone knows.
 */
function takeProviderForms(app: App): void {
  const options = { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES } as const;
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    options,
    async (_request: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
  );
  app.post<{ Body: Readonly<Record<string, string>> | undefined }>('/app/sign-in', hidden, async (request, reply) => {
    const form = request.body ?? {};
    const told = ['id_token', 'state', 'error'].flatMap((name) => (form[name] ? [[name, form[name]]] : []));
    reply.header('cache-control', 'no-store');
    return reply.redirect(`/app/sign-in#${new URLSearchParams(told)}`, 303);
  });
}
