import type { App, Routes } from '../../http/app.ts';
import { sessionOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { named, Type } from '../../lib/schema.ts';
import { requesterOf } from '../sign-in.routes.ts';
import { EmailAuthResult } from '../sign-in.schemas.ts';
import type { PasskeySignInService } from './passkey-sign-in.service.ts';
import {
  PasskeyAuthRequest,
  PasskeyCreate,
  PasskeyOptions,
  PasskeyOut,
  PasskeyParams,
  PasskeyUpdate,
} from './passkeys.schemas.ts';
import type { PasskeysService } from './passkeys.service.ts';

/** Must be added after the sign-in routes, which register the schema of the result. */
export const passkeyRoutes =
  (passkeys: PasskeysService, signIn: PasskeySignInService): Routes =>
  (app) => {
    for (const schema of [PasskeyCreate, PasskeyUpdate, PasskeyAuthRequest, PasskeyOut, PasskeyOptions])
      app.addSchema(schema);
    addSignIn(app, signIn);
    addAdding(app, passkeys);
    addManagement(app, passkeys);
  };

function addSignIn(app: App, signIn: PasskeySignInService): void {
  const route = describeRoutes('sign-in');
  app.post(
    '/v1/auth/passkey/begin',
    route('begin_passkey_sign_in', 'Get a challenge that any passkey can sign', {
      data: named(PasskeyOptions),
      refuses: ['passkeys_unavailable'],
    }),
    async () => ok({ options: signIn.begin() }),
  );
  app.post(
    '/v1/auth/passkey',
    route('sign_in_with_passkey', 'Sign in with a passkey; no second factor is asked for', {
      body: named(PasskeyAuthRequest),
      data: named(EmailAuthResult),
      refuses: [
        'wrong_passkey',
        'unknown_passkey',
        'copied_passkey',
        'sign_in_expired',
        'account_suspended',
        'provider_required',
        'too_many_attempts',
        'passkeys_unavailable',
        'identity_provider_unavailable',
      ],
    }),
    async (request) => ok(await signIn.signIn(request.body.credential, requesterOf(request))),
  );
}

const route = describeRoutes('passkeys');

function addAdding(app: App, passkeys: PasskeysService): void {
  app.post(
    '/v1/passkeys/begin',
    route('begin_passkey', 'Get a challenge for a new passkey', {
      data: named(PasskeyOptions),
      refuses: ['provider_required', 'too_many_passkeys', 'passkeys_unavailable', 'identity_provider_unavailable'],
      needsRecentSignIn: true,
    }),
    async (request) => ok({ options: await passkeys.beginAdding(sessionOf(request)) }),
  );
  app.post(
    '/v1/passkeys',
    route('add_passkey', 'Add a passkey to your account', {
      body: named(PasskeyCreate),
      data: named(PasskeyOut),
      refuses: ['passkey_refused', 'passkey_known', 'too_many_passkeys', 'too_many_attempts', 'passkeys_unavailable'],
    }),
    async (request) => {
      const { name, credential } = request.body;
      return ok(await passkeys.add(sessionOf(request), name, credential, request.ip));
    },
  );
}

function addManagement(app: App, passkeys: PasskeysService): void {
  app.get(
    '/v1/passkeys',
    route('list_passkeys', 'List your passkeys, oldest first', { data: Type.Array(named(PasskeyOut)) }),
    async (request) => ok(await passkeys.list(sessionOf(request))),
  );
  app.patch(
    '/v1/passkeys/:passkey_id',
    route('rename_passkey', 'Rename a passkey', {
      params: PasskeyParams,
      body: named(PasskeyUpdate),
      data: named(PasskeyOut),
    }),
    async (request) => ok(await passkeys.rename(sessionOf(request), request.params.passkey_id, request.body.name)),
  );
  app.delete(
    '/v1/passkeys/:passkey_id',
    route('remove_passkey', 'Remove a passkey; it can no longer sign in', {
      params: PasskeyParams,
      data: Type.Object({ removed: Type.Boolean() }),
      refuses: ['last_way_in'],
    }),
    async (request) => {
      await passkeys.remove(sessionOf(request), request.params.passkey_id, request.ip);
      return ok({ removed: true });
    },
  );
}
