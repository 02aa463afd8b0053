import { Type } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import type { InvitesService } from './invites.service.ts';
import { InviteCreate, InviteOut, MemberOut, SpaceCreate, SpaceOut } from './spaces.schemas.ts';
import type { SpacesService } from './spaces.service.ts';

const tags = ['spaces'];
const id = Type.String({ format: 'uuid' });
const params = Type.Object({ space_id: id });

export const spaceRoutes =
  (spaces: SpacesService, invites: InvitesService): Routes =>
  (app) => {
    for (const schema of [SpaceCreate, SpaceOut, MemberOut, InviteCreate, InviteOut]) app.addSchema(schema);
    addSpaces(app, spaces);
    addInvites(app, invites);
  };

function addSpaces(app: App, spaces: SpacesService): void {
  app.post(
    '/v1/spaces',
    {
      schema: {
        ...{ operationId: 'create_space', tags, summary: 'Create a space and become its owner' },
        body: named(SpaceCreate),
        response: { 200: envelopeOf(named(SpaceOut)) },
      },
    },
    async (request) => ok(await spaces.create(sessionOf(request), request.body.name)),
  );
  app.get(
    '/v1/spaces',
    {
      schema: {
        ...{ operationId: 'list_spaces', tags, summary: 'List the spaces you are a member of' },
        response: { 200: envelopeOf(Type.Array(named(SpaceOut))) },
      },
    },
    async (request) => ok(await spaces.list(sessionOf(request))),
  );
  app.get(
    '/v1/spaces/:space_id/members',
    {
      schema: {
        ...{ operationId: 'list_members', tags, summary: 'List the members of a space' },
        params,
        response: { 200: envelopeOf(Type.Array(named(MemberOut))) },
      },
    },
    async (request) => ok(await spaces.members(sessionOf(request), request.params.space_id)),
  );
  app.delete(
    '/v1/spaces/:space_id/membership',
    {
      schema: {
        ...{ operationId: 'leave_space', tags, summary: 'Leave a space and take your tasks with you' },
        params,
        response: { 200: envelopeOf(Type.Object({ left: Type.Boolean() })) },
      },
    },
    async (request) => {
      await spaces.leave(sessionOf(request), request.params.space_id);
      return ok({ left: true });
    },
  );
}

function addInvites(app: App, invites: InvitesService): void {
  app.post(
    '/v1/spaces/:space_id/invites',
    {
      config: { refuses: ['too_many_requests', 'mail_unavailable'] },
      schema: {
        ...{ operationId: 'invite', tags, summary: 'Invite somebody into a space' },
        params,
        body: named(InviteCreate),
        response: { 200: envelopeOf(named(InviteOut)) },
      },
    },
    async (request) => {
      const { invitee_contact = null } = request.body;
      return ok(await invites.create(sessionOf(request), request.params.space_id, invitee_contact));
    },
  );
  app.delete(
    '/v1/spaces/:space_id/invites/:invite_id',
    {
      config: { refuses: ['not_allowed', 'invite_spent'] },
      schema: {
        ...{ operationId: 'revoke_invite', tags, summary: 'Take an invitation back' },
        params: Type.Object({ space_id: id, invite_id: id }),
        response: { 200: envelopeOf(Type.Object({ revoked: Type.Boolean() })) },
      },
    },
    async (request) => {
      await invites.revoke(sessionOf(request), request.params.space_id, request.params.invite_id);
      return ok({ revoked: true });
    },
  );
  app.post(
    '/v1/invites/:token/accept',
    {
      config: { refuses: ['invite_spent'] },
      schema: {
        ...{ operationId: 'accept_invite', tags, summary: 'Join a space with an invitation' },
        params: Type.Object({ token: Type.String() }),
        response: { 200: envelopeOf(named(SpaceOut)) },
      },
    },
    async (request) => ok(await invites.accept(sessionOf(request), request.params.token)),
  );
}
