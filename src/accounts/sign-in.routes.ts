import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import { CODE_LIFETIME_SECONDS } from './email-codes.ts';
import type { EmailSignInService } from './email-sign-in.service.ts';
import type { IdpSignInService } from './idp-sign-in.service.ts';
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
  SessionOut,
} from './sign-in.schemas.ts';
import type { SignInService } from './sign-in.service.ts';

interface Services {
  readonly email: EmailSignInService;
  readonly idp: IdpSignInService;
  readonly signIn: SignInService;
  readonly sessions: SessionsService;
  readonly secondFactor: SecondFactorService;
}

const result = { 200: envelopeOf(named(EmailAuthResult)) };

export const signInRoutes =
  (services: Services): Routes =>
  (app) => {
    for (const schema of [EmailAuthRequest, EmailAuthVerify, AppleAuthRequest, MfaVerify, EmailAuthResult])
      app.addSchema(schema);
    for (const schema of [SessionOut, MfaCode, MfaEnrollOut, MfaConfirmOut, MfaStatusOut]) app.addSchema(schema);
    addSignIn(app, services);
    addSessions(app, services);
    addSecondFactor(app, services);
  };

function addSignIn(app: Parameters<Routes>[0], { email, idp, signIn }: Services): void {
  const tags = ['sign-in'];
  app.post(
    '/v1/auth/email/request',
    {
      config: { refuses: ['too_many_requests', 'mail_unavailable'] },
      schema: {
        ...{ operationId: 'request_email_code', tags, summary: 'Mail a single-use sign-in code' },
        body: named(EmailAuthRequest),
        response: { 200: envelopeOf(Type.Object({ sent: Type.Boolean(), expires_in_seconds: Type.Integer() })) },
      },
    },
    async ({ body, ip }) => {
      await email.requestCode(body.email, ip);
      return ok({ sent: true, expires_in_seconds: CODE_LIFETIME_SECONDS });
    },
  );
  app.post(
    '/v1/auth/email/verify',
    {
      config: { refuses: ['wrong_code', 'too_many_attempts'] },
      schema: {
        ...{ operationId: 'verify_email_code', tags, summary: 'Sign in, or sign up, with an emailed code' },
        body: named(EmailAuthVerify),
        response: result,
      },
    },
    async ({ body, ip }) => ok(await email.verify(body.email, body.code, ip)),
  );
  app.post(
    '/v1/auth/idp',
    {
      config: { refuses: ['wrong_identity_token', 'too_many_attempts', 'identity_provider_unavailable'] },
      schema: {
        ...{ operationId: 'sign_in_with_provider', tags, summary: 'Sign in with an identity-provider token' },
        body: named(AppleAuthRequest),
        response: result,
      },
    },
    async ({ body, ip }) => {
      const { identity_token, full_name, authorization_code } = body;
      const proof = {
        identityToken: identity_token,
        fullName: full_name || null,
        authorizationCode: authorization_code || null,
      };
      return ok(await idp.signIn(proof, ip));
    },
  );
  app.post(
    '/v1/auth/mfa/verify',
    {
      config: { refuses: ['wrong_code', 'sign_in_expired', 'too_many_attempts'] },
      schema: {
        ...{ operationId: 'verify_second_factor', tags, summary: 'Complete a sign-in with a second factor' },
        body: named(MfaVerify),
        response: result,
      },
    },
    async ({ body, ip }) => ok(await signIn.verifySecondFactor(body.mfa_token, body.code, ip)),
  );
}

function addSessions(app: Parameters<Routes>[0], { sessions }: Services): void {
  const tags = ['sessions'];
  app.delete(
    '/v1/auth/session',
    {
      schema: {
        ...{ operationId: 'sign_out', tags, summary: 'Revoke the session that asks' },
        response: { 200: envelopeOf(Type.Object({ revoked: Type.Boolean() })) },
      },
    },
    async (request) => {
      await sessions.signOut(sessionOf(request), request.ip);
      return ok({ revoked: true });
    },
  );
  app.get(
    '/v1/auth/sessions',
    {
      schema: {
        ...{ operationId: 'list_sessions', tags, summary: 'List the active sessions, newest first' },
        response: { 200: envelopeOf(Type.Array(named(SessionOut))) },
      },
    },
    async (request) => ok(await sessions.list(sessionOf(request))),
  );
  app.delete(
    '/v1/auth/sessions/:session_id',
    {
      schema: {
        ...{ operationId: 'revoke_session', tags, summary: 'Revoke one of your sessions' },
        params: Type.Object({ session_id: Type.String({ format: 'uuid' }) }),
        response: { 200: envelopeOf(Type.Object({ revoked: Type.Boolean() })) },
      },
    },
    async (request) => {
      await sessions.revoke(sessionOf(request), request.params.session_id, request.ip);
      return ok({ revoked: true });
    },
  );
}

function addSecondFactor(app: Parameters<Routes>[0], { secondFactor }: Services): void {
  const tags = ['second factor'];
  app.post(
    '/v1/auth/mfa/enroll',
    {
      config: { refuses: ['mfa_already_enabled'] },
      schema: {
        ...{ operationId: 'enroll_second_factor', tags, summary: 'Begin to set up an authenticator app' },
        response: { 200: envelopeOf(named(MfaEnrollOut)) },
      },
    },
    async (request) => ok(await secondFactor.enrol(sessionOf(request), request.ip)),
  );
  app.post(
    '/v1/auth/mfa/enroll/confirm',
    {
      config: { refuses: ['wrong_second_factor', 'mfa_already_enabled', 'mfa_not_enrolled', 'too_many_attempts'] },
      schema: {
        ...{ operationId: 'confirm_second_factor', tags, summary: 'Turn the second factor on with a live code' },
        body: named(MfaCode),
        response: { 200: envelopeOf(named(MfaConfirmOut)) },
      },
    },
    async (request) => {
      const recovery_codes = await secondFactor.confirm(sessionOf(request), request.body.code, request.ip);
      return ok({ enabled: true, recovery_codes });
    },
  );
  app.get(
    '/v1/auth/mfa',
    {
      schema: {
        ...{ operationId: 'second_factor_status', tags, summary: 'Tell whether the second factor is on' },
        response: { 200: envelopeOf(named(MfaStatusOut)) },
      },
    },
    async (request) => ok(await secondFactor.status(sessionOf(request))),
  );
  app.post(
    '/v1/auth/mfa/disable',
    {
      config: { refuses: ['wrong_second_factor', 'mfa_not_enabled', 'too_many_attempts'] },
      schema: {
        ...{ operationId: 'disable_second_factor', tags, summary: 'Turn the second factor off with a current code' },
        body: named(MfaCode),
        response: { 200: envelopeOf(named(MfaStatusOut)) },
      },
    },
    async (request) => {
      await secondFactor.disable(sessionOf(request), request.body.code, request.ip);
      return ok(await secondFactor.status(sessionOf(request)));
    },
  );
}
