import type { FastifyRequest } from 'fastify';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { replaceAppSessionCookie } from '../http/web-app/app-session.ts';
import { clearSignInRequest, findSignInRequest, sendSignInRequest } from '../http/web-app/sign-in-request.ts';
import { named, Type } from '../lib/schema.ts';
import type { EmailSignInService } from './email-sign-in.service.ts';
import { type IdpSignInService, NONCE_LIFETIME_SECONDS } from './provider/idp-sign-in.service.ts';
import type { Requester } from './requester.ts';
import type { SecondFactorService } from './second-factor.service.ts';
import type { SessionsService } from './sessions.service.ts';
import {
  AppleAuthRequest,
  EmailAuthRequest,
  EmailAuthResult,
  EmailAuthVerify,
  MfaCode,
  MfaConfirmOut,
  MfaEnrollOut,
  MfaStatusOut,
  MfaVerify,
  SessionNameOut,
  SessionOut,
  SessionProof,
  SessionRename,
  SignInHeaders,
} from './sign-in.schemas.ts';
import type { SignInService } from './sign-in.service.ts';
import type { SignUpService } from './sign-up.service.ts';

interface Services {
  readonly email: EmailSignInService;
  readonly idp: IdpSignInService;
  readonly signIn: SignInService;
  readonly signUp: SignUpService;
  readonly sessions: SessionsService;
  readonly secondFactor: SecondFactorService;
}

const result = named(EmailAuthResult);
const SessionParams = Type.Object({ session_id: Type.String({ format: 'uuid' }) });

export const requesterOf = (request: FastifyRequest): Requester => ({
  address: request.ip,
  token: findSignInRequest(request),
  userAgent: request.headers['user-agent'],
});

export const signInRoutes =
  (services: Services): Routes =>
  (app) => {
    for (const schema of [EmailAuthRequest, EmailAuthVerify, AppleAuthRequest, MfaVerify, EmailAuthResult])
      app.addSchema(schema);
    for (const schema of [
      SessionOut,
      SessionNameOut,
      SessionRename,
      SessionProof,
      MfaCode,
      MfaEnrollOut,
      MfaConfirmOut,
      MfaStatusOut,
    ])
      app.addSchema(schema);
    addSignIn(app, services);
    addSessions(app, services);
    addSecondFactor(app, services);
  };

function addSignIn(app: Parameters<Routes>[0], { email, idp, signIn, signUp }: Services): void {
  const route = describeRoutes('sign-in');
  app.post(
    '/v1/auth/email/request',
    route('request_email_code', 'Send a single-use sign-in code by email', {
      headers: SignInHeaders,
      body: named(EmailAuthRequest),
      data: Type.Object({
        sent: Type.Boolean(),
        expires_in_seconds: Type.Integer(),
        sign_up: Type.String({
          description:
            'Who gets a new account here: anyone (`open`), people with an invitation (`invite`), or addresses of ' +
            'certain domains (`domains`). It is the same for every address. An address that has no account and gets ' +
            'none is mailed a note instead of a code.',
        }),
      }),
      refuses: ['email_sign_in_off', 'mail_unavailable', 'mail_not_configured'],
      sends: ['X-Sign-In-Request'],
    }),
    async (request, reply) => {
      const { body, headers } = request;
      const { token, expiresInSeconds } = await email.requestCode(
        body.email,
        requesterOf(request),
        headers['x-invite'],
      );
      sendSignInRequest(request, reply, token);
      return ok({ sent: true, expires_in_seconds: expiresInSeconds, sign_up: await signUp.policy() });
    },
  );
  app.post(
    '/v1/auth/email/verify',
    route('verify_email_code', 'Sign in or sign up with an emailed code', {
      headers: SignInHeaders,
      body: named(EmailAuthVerify),
      data: result,
      refuses: [
        'wrong_code',
        'account_suspended',
        'provider_required',
        'email_sign_in_off',
        'too_many_attempts',
        'identity_provider_unavailable',
      ],
    }),
    async (request, reply) => {
      const { body, headers } = request;
      const signedIn = await email.verify(body.email, body.code, requesterOf(request), headers['x-invite']);
      clearSignInRequest(request, reply);
      return ok(signedIn);
    },
  );
  app.post(
    '/v1/auth/idp/request',
    route('request_provider_sign_in', 'Get a nonce for a sign-in with an identity provider', {
      data: Type.Object({ nonce: Type.String(), expires_in_seconds: Type.Integer() }),
      refuses: ['identity_provider_not_configured'],
      sends: ['X-Sign-In-Request'],
    }),
    async (request, reply) => {
      const { token, nonce } = await idp.request();
      sendSignInRequest(request, reply, token);
      return ok({ nonce, expires_in_seconds: NONCE_LIFETIME_SECONDS });
    },
  );
  app.post(
    '/v1/auth/idp',
    route('sign_in_with_provider', 'Sign in or sign up with a token of an identity provider', {
      headers: SignInHeaders,
      body: named(AppleAuthRequest),
      data: result,
      refuses: [
        'wrong_identity_token',
        'sign_up_closed',
        'account_suspended',
        'group_required',
        'too_many_attempts',
        'identity_provider_unavailable',
      ],
    }),
    async (request, reply) => {
      const { identity_token, full_name, authorization_code } = request.body;
      const proof = {
        identityToken: identity_token,
        fullName: full_name || null,
        authorizationCode: authorization_code || null,
        invite: request.headers['x-invite'],
      };
      const signedIn = await idp.signIn(proof, requesterOf(request));
      clearSignInRequest(request, reply);
      return ok(signedIn);
    },
  );
  app.post(
    '/v1/auth/mfa/verify',
    route('verify_second_factor', 'Complete a sign-in with a second factor', {
      body: named(MfaVerify),
      data: result,
      refuses: [
        'wrong_code',
        'sign_in_expired',
        'account_suspended',
        'provider_required',
        'email_sign_in_off',
        'too_many_attempts',
        'identity_provider_unavailable',
      ],
    }),
    async (request) => {
      const { mfa_token, code } = request.body;
      return ok(await signIn.verifySecondFactor(mfa_token, code, requesterOf(request)));
    },
  );
}

function addSessions(app: Parameters<Routes>[0], { sessions }: Services): void {
  const route = describeRoutes('sessions');
  app.delete(
    '/v1/auth/session',
    route('sign_out', 'Sign out by revoking the current session', { data: Type.Object({ revoked: Type.Boolean() }) }),
    async (request) => {
      await sessions.signOut(sessionOf(request), request.ip);
      return ok({ revoked: true });
    },
  );
  app.post(
    '/v1/auth/session/proof',
    route('prove_sign_in', 'Carry a sign-in that you have just made over to this session', {
      description:
        'For what answers 403 `recent_sign_in_required`. Sign in again in any way, and send the new session token here ' +
        'with the session that you want to keep. That session then counts as signed in when the new one was, and has ' +
        'the new token: use it from now on, because the old token ends. A sign-in to another account ends and is refused.',
      body: named(SessionProof),
      data: Type.Object({ proven: Type.Boolean() }),
      refuses: ['sign_in_expired', 'other_account'],
    }),
    async (request, reply) => {
      const { session_token } = request.body;
      await sessions.proveAgain(sessionOf(request), session_token, request.ip);
      replaceAppSessionCookie(request, reply, session_token);
      return ok({ proven: true });
    },
  );
  app.get(
    '/v1/auth/sessions',
    route('list_sessions', 'List your active sessions, newest first', { data: Type.Array(named(SessionOut)) }),
    async (request) => ok(await sessions.list(sessionOf(request))),
  );
  app.get(
    '/v1/auth/sessions/names',
    route('list_session_names', 'List where your active sessions signed in: browser and system, newest first', {
      data: Type.Array(named(SessionNameOut)),
    }),
    async (request) => {
      const listed = await sessions.list(sessionOf(request));
      return ok(listed.map(({ id, client_name }) => ({ id, name: client_name })));
    },
  );
  app.patch(
    '/v1/auth/sessions/names/:session_id',
    route('rename_session', 'Rename one of your sessions', {
      params: SessionParams,
      body: named(SessionRename),
      data: named(SessionNameOut),
    }),
    async (request) => {
      const { session_id } = request.params;
      const { name } = request.body;
      await sessions.rename(sessionOf(request), session_id, name);
      return ok({ id: session_id, name });
    },
  );
  app.delete(
    '/v1/auth/sessions/:session_id',
    route('revoke_session', 'Revoke one of your sessions', {
      params: SessionParams,
      data: Type.Object({ revoked: Type.Boolean() }),
    }),
    async (request) => {
      await sessions.revoke(sessionOf(request), request.params.session_id, request.ip);
      return ok({ revoked: true });
    },
  );
}

function addSecondFactor(app: Parameters<Routes>[0], { secondFactor }: Services): void {
  const route = describeRoutes('second factor');
  app.post(
    '/v1/auth/mfa/enroll',
    route('enroll_second_factor', 'Start setting up an authenticator app', {
      description:
        'Needs a session whose sign-in was in the last 15 minutes, so that a stolen older session cannot put a second ' +
        'factor of its own on the account. Otherwise the answer is 403 `recent_sign_in_required`. The second factor ' +
        'stays off until the enrolment is confirmed.',
      data: named(MfaEnrollOut),
      refuses: ['mfa_already_enabled'],
      needsRecentSignIn: true,
    }),
    async (request) => ok(await secondFactor.enrol(sessionOf(request), request.ip)),
  );
  app.post(
    '/v1/auth/mfa/enroll/confirm',
    route('confirm_second_factor', 'Turn on the second factor with a code from the authenticator app', {
      body: named(MfaCode),
      data: named(MfaConfirmOut),
      refuses: ['wrong_second_factor', 'mfa_already_enabled', 'mfa_not_enrolled', 'too_many_attempts'],
    }),
    async (request) => {
      const recovery_codes = await secondFactor.confirm(sessionOf(request), request.body.code, request.ip);
      return ok({ enabled: true, recovery_codes });
    },
  );
  app.get(
    '/v1/auth/mfa',
    route('second_factor_status', 'Read the status of the second factor', { data: named(MfaStatusOut) }),
    async (request) => ok(await secondFactor.status(sessionOf(request))),
  );
  app.post(
    '/v1/auth/mfa/disable',
    route('disable_second_factor', 'Turn off the second factor with a current code or a recovery code', {
      body: named(MfaCode),
      data: named(MfaStatusOut),
      refuses: ['wrong_second_factor', 'mfa_not_enabled', 'too_many_attempts'],
    }),
    async (request) => {
      await secondFactor.disable(sessionOf(request), request.body.code, request.ip);
      return ok(await secondFactor.status(sessionOf(request)));
    },
  );
}
