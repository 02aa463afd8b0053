/** For the app of an administrator. The access table lets nobody else in, except to become the first one. */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import {
  AdminHealthOut,
  AdminInvitationOut,
  AdminOut,
  AdminPersonDetailOut,
  AdminPersonOut,
  ClaimWord,
  InvitationCreate,
  SignUpSwitch,
} from './admin.schemas.ts';
import type { Actor, AdminService, PersonView } from './admin.service.ts';
import type { ClaimService } from './claim.service.ts';
import { type HealthSources, readInstallationHealth } from './installation-health.ts';

const route = describeRoutes('admin');
const id = Type.String({ format: 'uuid' });
const params = Type.Object({ user_id: id });
const PEOPLE_PER_PAGE = 50;

const actorOf = (request: FastifyRequest) => ({ caller: sessionOf(request), address: request.ip }) satisfies Actor;

/** The schema would drop unknown fields too, but the serialiser would read them first. */
const toOut = <T extends PersonView>({ last_sign_at, ...person }: T) => ({ ...person, last_seen_at: last_sign_at });

export const adminRoutes =
  (admin: AdminService, claim: ClaimService, sources: HealthSources): Routes =>
  (app) => {
    for (const schema of [AdminOut, AdminPersonOut, AdminPersonDetailOut, AdminInvitationOut, AdminHealthOut])
      app.addSchema(schema);
    for (const schema of [SignUpSwitch, InvitationCreate, ClaimWord]) app.addSchema(schema);
    addClaim(app, claim);
    addInstallation(app, admin, sources);
    addPeople(app, admin);
    addInvitations(app, admin);
  };

function addInstallation(app: App, admin: AdminService, sources: HealthSources): void {
  app.get(
    '/v1/admin',
    route('read_installation', 'Read who gets an account, if you are an administrator', {
      data: named(AdminOut),
    }),
    async () => ok(await admin.describe()),
  );
  app.patch(
    '/v1/admin/sign-up',
    route('set_sign_up', 'Open sign-up to everybody, or close it to all but invited people', {
      body: named(SignUpSwitch),
      data: named(AdminOut),
      refuses: ['sign_up_fixed'],
    }),
    async (request) => {
      await admin.setSignUp(actorOf(request), request.body.sign_up);
      return ok(await admin.describe());
    },
  );
  app.get(
    '/v1/admin/health',
    route('read_installation_health', 'Read how the installation is doing', {
      data: named(AdminHealthOut),
    }),
    async () => ok(await readInstallationHealth(sources)),
  );
}

function addClaim(app: App, claim: ClaimService): void {
  app.post(
    '/v1/claim',
    route('claim_installation', 'Become the first administrator, with the word in the terminal of the service', {
      body: named(ClaimWord),
      data: Type.Object({ claimed: Type.Boolean() }),
      refuses: ['wrong_claim_word', 'already_claimed', 'too_many_attempts'],
    }),
    async (request) => {
      await claim.claim(sessionOf(request), request.body.word, request.ip);
      return ok({ claimed: true });
    },
  );
}

function addPeople(app: App, admin: AdminService): void {
  app.get(
    '/v1/admin/people',
    route('list_people', 'List the accounts, oldest first', {
      querystring: Type.Object({
        search: Type.Optional(Type.String({ maxLength: 320, description: 'A part of the email address.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'The default is 50.' })),
        cursor: Type.Optional(
          Type.String({ format: 'uuid', description: 'The X-Next-Cursor header of the previous page.' }),
        ),
      }),
      data: Type.Array(named(AdminPersonOut)),
    }),
    async (request, reply) => {
      const { search, limit = PEOPLE_PER_PAGE, cursor } = request.query;
      const page = await admin.list({ search: search?.trim().toLowerCase(), limit, after: cursor?.toLowerCase() });
      if (page.next !== null) reply.header('x-next-cursor', page.next);
      return ok(page.people.map(toOut));
    },
  );
  app.get(
    '/v1/admin/people/:user_id',
    route('read_person', 'Read when and how an account is used, in counts', {
      params,
      data: named(AdminPersonDetailOut),
    }),
    async (request) => ok(toOut(await admin.get(request.params.user_id))),
  );
  app.delete(
    '/v1/admin/people/:user_id',
    route('delete_person', 'Delete an account and all of its data', {
      params,
      data: Type.Object({ deleted: Type.Boolean() }),
      refuses: ['recent_sign_in_required', 'not_allowed'],
    }),
    async (request) => {
      await admin.delete(actorOf(request), request.params.user_id);
      return ok({ deleted: true });
    },
  );
  addSuspension(app, admin);
  addSecondFactorReset(app, admin);
}

function addSuspension(app: App, admin: AdminService): void {
  app.post(
    '/v1/admin/people/:user_id/suspend',
    route('suspend_person', 'Suspend an account: nobody uses it, and it is sent no nudges', {
      params,
      data: named(AdminPersonDetailOut),
      refuses: ['recent_sign_in_required', 'not_allowed'],
    }),
    async (request) => {
      await admin.suspend(actorOf(request), request.params.user_id);
      return ok(toOut(await admin.get(request.params.user_id)));
    },
  );
  app.post(
    '/v1/admin/people/:user_id/lift',
    route('lift_suspension', 'Lift the suspension of an account', {
      params,
      data: named(AdminPersonDetailOut),
      refuses: ['not_allowed'],
    }),
    async (request) => {
      await admin.lift(actorOf(request), request.params.user_id);
      return ok(toOut(await admin.get(request.params.user_id)));
    },
  );
  app.delete(
    '/v1/admin/people/:user_id/sessions',
    route('end_sessions', 'End every session of an account', {
      params,
      data: Type.Object({ ended: Type.Integer() }),
    }),
    async (request) => ok({ ended: await admin.endSessions(actorOf(request), request.params.user_id) }),
  );
}

function addSecondFactorReset(app: App, admin: AdminService): void {
  const path = '/v1/admin/people/:user_id/second-factor-reset';
  app.post(
    path,
    route('reset_second_factor', 'Turn off the second factor of a person who has lost it, after 72 hours', {
      description:
        'The delay counts from the first mail to the person, who gets one each day with a link that stops it. A sign-in with ' +
        'the second factor stops it too. If one is under way, it goes on as it was.',
      params,
      data: named(AdminPersonDetailOut),
      refuses: ['recent_sign_in_required', 'not_allowed', 'mfa_not_enabled', 'too_many_requests'],
    }),
    async (request) => {
      await admin.resetSecondFactor(actorOf(request), request.params.user_id);
      return ok(toOut(await admin.get(request.params.user_id)));
    },
  );
  app.delete(
    path,
    route('withdraw_second_factor_reset', 'Keep the second factor of a person on after all', {
      params,
      data: named(AdminPersonDetailOut),
    }),
    async (request) => {
      await admin.withdrawReset(actorOf(request), request.params.user_id);
      return ok(toOut(await admin.get(request.params.user_id)));
    },
  );
}

function addInvitations(app: App, admin: AdminService): void {
  app.get(
    '/v1/admin/invitations',
    route('list_invitations', 'List the addresses that are invited and have no account yet', {
      data: Type.Array(named(AdminInvitationOut)),
    }),
    async () => ok(await admin.listInvitations()),
  );
  app.post(
    '/v1/admin/invitations',
    route('invite_person', 'Invite an address to create an account', {
      body: named(InvitationCreate),
      data: Type.Object({
        invitation: named(AdminInvitationOut),
        mailed: Type.Boolean({ description: 'False if the service sends no mail: tell the person yourself.' }),
      }),
      refuses: ['account_exists', 'too_many_invites', 'too_many_invitations', 'mail_unavailable'],
    }),
    async (request) => {
      const { mailed, ...invitation } = await admin.invite(actorOf(request), request.body.email);
      return ok({ invitation, mailed });
    },
  );
  app.delete(
    '/v1/admin/invitations/:invitation_id',
    route('revoke_invitation', 'Take an invitation back', {
      params: Type.Object({ invitation_id: id }),
      data: Type.Object({ revoked: Type.Boolean() }),
    }),
    async (request) => {
      await admin.revokeInvitation(actorOf(request), request.params.invitation_id);
      return ok({ revoked: true });
    },
  );
}
