/** Starts and ends the session of the web app. */
import type { App, Routes } from '../app.ts';
import { sessionOf } from '../authentication.ts';
import { ok } from '../envelope.ts';
import { readFormBodies } from '../form-body.ts';
import { clearAppSessionCookie, setAppSessionCookie } from './app-session.ts';
import { clearSignOutHint } from './sign-out-hint.ts';

/**
 * What the app needs to know about signing in, without asking the provider, so that no provider can delay the screen.
 * `passkey_origin` is where passkeys work, and null if they cannot.
 */
export type DescribeSignIn = () => Promise<{
  readonly identity_provider: { readonly name: string | null; readonly auto_redirect: boolean } | null;
  readonly email: boolean;
  /** Where a code is to be found: `printed` is in the terminal of the service. */
  readonly mail: 'smtp' | 'printed' | 'off';
  readonly sign_up: string;
  readonly passkey_origin: string | null;
}>;

const hidden = { schema: { hide: true } };

export const appSessionRoutes =
  (
    describeSignIn: DescribeSignIn,
    isAdmin: (userId: string) => Promise<boolean>,
    canClaim: () => Promise<boolean>,
  ): Routes =>
  (app) => {
    app.get('/app/sign-in-options', hidden, async () => ok(await describeSignIn()));
    app.get('/app/session', hidden, async (request) => {
      const { sessionId, userId } = sessionOf(request);
      return ok({ id: sessionId, is_admin: await isAdmin(userId), can_claim: await canClaim() });
    });
    app.post('/app/session', hidden, async (request, reply) => {
      setAppSessionCookie(request, reply);
      return ok({ can_claim: await canClaim() });
    });
    app.delete('/app/session', hidden, async (request, reply) => {
      clearAppSessionCookie(request, reply);
      clearSignOutHint(request, reply);
      return ok({});
    });
    app.register(async (scope) => acceptProviderForms(scope as App));
  };

const FORM_LIMIT_BYTES = 16 * 1024;

/** The fields that a provider's form may have. `user` is Apple's: the name, at a person's first sign-in. */
const ANSWER_FIELDS = ['code', 'state', 'iss', 'error', 'user'];

/**
 * The identity provider may send the browser back with a form post, the only way in which Apple passes an email
 * address. The form is passed on to the page in the URL fragment, which no server and no log sees. The page
 * checks whether this browser started the sign-in, because only the page has that state.
 */
function acceptProviderForms(app: App): void {
  readFormBodies(app, FORM_LIMIT_BYTES);
  app.post<{ Body: Readonly<Record<string, string>> | undefined }>('/app/sign-in', hidden, async (request, reply) => {
    const form = request.body ?? {};
    const fields = ANSWER_FIELDS.flatMap((name) => (form[name] ? [[name, form[name]]] : []));
    reply.header('cache-control', 'no-store');
    return reply.redirect(`/app/sign-in#${new URLSearchParams(fields)}`, 303);
  });
}
