import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import type { InvitesService } from './invites.service.ts';
import {
  InviteCreate,
  InviteOut,
  InvitePreviewOut,
  MemberOut,
  OpenInviteOut,
  SpaceCreate,
  SpaceOut,
  SpaceUpdate,
} from './spaces.schemas.ts';
import type { SpacesService } from './spaces.service.ts';

const route = describeRoutes('spaces');
const id = Type.String({ format: 'uuid' });
const params = Type.Object({ space_id: id });

export const spaceRoutes =
  (spaces: SpacesService, invites: InvitesService): Routes =>
  (app) => {
    for (const schema of [SpaceCreate, SpaceUpdate, SpaceOut, MemberOut]) app.addSchema(schema);
    for (const schema of [InviteCreate, InviteOut, OpenInviteOut, InvitePreviewOut]) app.addSchema(schema);
    addSpaces(app, spaces);
    addInvites(app, invites);
  };

function addSpaces(app: App, spaces: SpacesService): void {
  app.post(
    '/v1/spaces',
    route('create_space', 'Create a space and become its owner', {
      body: named(SpaceCreate),
      data: named(SpaceOut),
      refuses: ['too_many_spaces'],
    }),
    async (request) => ok(await spaces.create(sessionOf(request), request.body.name)),
  );
  app.get(
    '/v1/spaces',
    route('list_spaces', 'List the spaces you are a member of', { data: Type.Array(named(SpaceOut)) }),
    async (request) => ok(await spaces.list(sessionOf(request))),
  );
  app.patch(
    '/v1/spaces/:space_id',
    route('rename_space', 'Rename a space that you own', {
      params,
      body: named(SpaceUpdate),
      data: named(SpaceOut),
      refuses: ['not_allowed'],
    }),
    async (request) => ok(await spaces.rename(sessionOf(request), request.params.space_id, request.body.name)),
  );
  app.get(
    '/v1/spaces/:space_id/members',
    route('list_members', 'List the members of a space', { params, data: Type.Array(named(MemberOut)) }),
    async (request) => ok(await spaces.members(sessionOf(request), request.params.space_id)),
  );
  app.delete(
    '/v1/spaces/:space_id/members/:user_id',
    route('remove_member', 'Remove a member from a space that you own, and their tasks with them', {
      params: Type.Object({ space_id: id, user_id: id }),
      data: Type.Object({ removed: Type.Boolean() }),
      refuses: ['not_allowed'],
    }),
    async (request) => {
      await spaces.removeMember(sessionOf(request), request.params.space_id, request.params.user_id);
      return ok({ removed: true });
    },
  );
  app.delete(
    '/v1/spaces/:space_id/membership',
    route('leave_space', 'Leave a space and take your tasks out of it', {
      params,
      data: Type.Object({ left: Type.Boolean() }),
    }),
    async (request) => {
      await spaces.leave(sessionOf(request), request.params.space_id);
      return ok({ left: true });
    },
  );
}

function addInvites(app: App, invites: InvitesService): void {
  app.post(
    '/v1/spaces/:space_id/invites',
    route('invite', 'Invite a person to a space', {
      params,
      body: named(InviteCreate),
      data: named(InviteOut),
      refuses: ['too_many_requests', 'too_many_invites', 'mail_unavailable', 'idempotency_key_spent'],
      showsSecret: true,
    }),
    async (request) => {
      const { invitee_contact = null } = request.body;
      return ok(await invites.create(sessionOf(request), request.params.space_id, invitee_contact));
    },
  );
  app.get(
    '/v1/spaces/:space_id/invites',
    route('list_open_invites', 'List the open invitations to a space, newest first, without their tokens', {
      params,
      querystring: Type.Object({
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
      }),
      data: Type.Array(named(OpenInviteOut)),
    }),
    async (request) => {
      const { limit = 100 } = request.query;
      return ok(await invites.listOpen(sessionOf(request), request.params.space_id, limit));
    },
  );
  app.delete(
    '/v1/spaces/:space_id/invites/:invite_id',
    route('revoke_invite', 'Revoke an invitation', {
      params: Type.Object({ space_id: id, invite_id: id }),
      data: Type.Object({ revoked: Type.Boolean() }),
      refuses: ['not_allowed', 'invite_spent'],
    }),
    async (request) => {
      await invites.revoke(sessionOf(request), request.params.space_id, request.params.invite_id);
      return ok({ revoked: true });
    },
  );
  app.get(
    '/v1/invites/:token',
    route('preview_invite', 'See who invites you to which space, before you accept', {
      params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
      data: named(InvitePreviewOut),
      refuses: ['invite_spent'],
    }),
    async (request) => ok(await invites.preview(sessionOf(request), request.params.token)),
  );
  app.post(
    '/v1/invites/:token/accept',
    route('accept_invite', 'Accept an invitation and join its space', {
      params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
      data: named(SpaceOut),
      refuses: ['invite_spent', 'too_many_spaces', 'too_many_members'],
    }),
    async (request) => ok(await invites.accept(sessionOf(request), request.params.token)),
  );
}
