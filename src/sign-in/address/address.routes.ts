import type { Routes } from '../../http/app.ts';
import { sessionOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { named, Type } from '../../lib/schema.ts';
import { requesterOf } from '../sign-in.routes.ts';
import { AddressConfirm, AddressRequest } from './address.schemas.ts';
import type { AddressChangeService } from './address-change.service.ts';

const route = describeRoutes('account');

export const addressRoutes =
  (addresses: AddressChangeService): Routes =>
  (app) => {
    for (const schema of [AddressRequest, AddressConfirm]) app.addSchema(schema);
    app.post(
      '/v1/me/address/request',
      route('request_address_code', 'Send a code to the new email address of your account', {
        description:
          'The answer is the same for every address. One that another account has, or that may have no account here, is ' +
          'mailed a note instead of a code. Needs a sign-in of the last 15 minutes.',
        body: named(AddressRequest),
        data: Type.Object({ sent: Type.Boolean(), expires_in_seconds: Type.Integer() }),
        refuses: ['mail_unavailable', 'mail_not_configured', 'too_many_requests'],
        needsRecentSignIn: true,
      }),
      async (request) => {
        const expires_in_seconds = await addresses.requestCode(
          sessionOf(request),
          request.body.email,
          requesterOf(request),
        );
        return ok({ sent: true, expires_in_seconds });
      },
    );
    app.post(
      '/v1/me/address',
      route('change_address', 'Change the email address of your account with the code', {
        description:
          'Ends all other sessions. The former address gets a mail with a link that takes the change back, for seven ' +
          'days; until then nobody else gets that address. Needs a sign-in of the last 15 minutes.',
        body: named(AddressConfirm),
        data: Type.Object({ email: Type.String() }),
        refuses: ['wrong_address_code', 'too_many_attempts'],
        needsRecentSignIn: true,
      }),
      async (request) => {
        const { email, code } = request.body;
        return ok({ email: await addresses.confirm(sessionOf(request), email, code, requesterOf(request)) });
      },
    );
  };
