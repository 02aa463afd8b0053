import type { Static } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import { AccessEnd, AccessOut } from './sign-out.schemas.ts';
import type { SignOutService } from './sign-out.service.ts';

const route = describeRoutes('sessions');

export const signOutRoutes =
  (signOut: SignOutService): Routes =>
  (app) => {
    for (const schema of [AccessOut, AccessEnd]) app.addSchema(schema);
    app.get(
      '/v1/me/access',
      route('list_access', 'List your sessions and everything that outlives them', {
        data: Type.Array(named(AccessOut)),
      }),
      async (request) => ok(await signOut.list(sessionOf(request))),
    );
    app.post(
      '/v1/me/access/end',
      route('sign_out_everywhere', 'End all other sessions, and what you choose beside them', {
        description:
          'All of it ends, or nothing: the last way into the account is refused. With `ids` it needs a sign-in of the last ' +
          '15 minutes. Identities are not ended here, because their provider would link them again.',
        body: named(AccessEnd),
        data: Type.Object({ ended: Type.Integer() }),
        refuses: ['last_way_in'],
        // Sessions end without delay, as they do one by one: a stolen phone is signed out from wherever its owner is.
        needsRecentSignIn: (body) => ((body as Static<typeof AccessEnd>).ids ?? []).length > 0,
      }),
      async (request) => {
        const { sessions = true, ids = [] } = request.body;
        return ok({ ended: await signOut.end(sessionOf(request), { sessions, ids }, request.ip) });
      },
    );
  };
