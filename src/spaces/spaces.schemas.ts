import { component, instantOut, nullable, Type } from '../lib/schema.ts';

const id = Type.String({ format: 'uuid' });

const name = Type.String({ minLength: 1, maxLength: 200, examples: ['Home'] });

export const SpaceCreate = component('SpaceCreate', Type.Object({ name }));

export const SpaceUpdate = component('SpaceUpdate', Type.Object({ name }));

export const SpaceOut = component('SpaceOut', Type.Object({ id, name: Type.String(), created_at: instantOut }));

export const MemberOut = component(
  'MemberOut',
  Type.Object({
    user_id: id,
    role: Type.String({ description: '`owner` or `member`.' }),
    display_name: nullable(Type.String()),
  }),
);

export const InviteCreate = component(
  'InviteCreate',
  Type.Object({
    invitee_contact: Type.Optional(
      nullable(
        Type.String({ maxLength: 320, description: 'If this is an email address, the invitation is mailed to it.' }),
      ),
    ),
  }),
);

export const InviteOut = component(
  'InviteOut',
  Type.Object({
    id,
    space_id: id,
    token: Type.String({
      description: 'The secret of the invitation. Only this response contains it. One person can join with it.',
    }),
    status: Type.String({ description: '`pending`, `accepted`, `revoked` or `expired`.' }),
  }),
);

export const OpenInviteOut = component(
  'OpenInviteOut',
  Type.Object({
    id,
    space_id: id,
    inviter_id: id,
    invitee_contact: nullable(
      Type.String({ description: 'Only for the inviter and the owner of the space, who may revoke the invitation.' }),
    ),
    status: Type.String({ description: 'Always `pending`.' }),
    created_at: instantOut,
    expires_at: instantOut,
  }),
);

export const InvitePreviewOut = component(
  'InvitePreviewOut',
  Type.Object({
    space_name: Type.String(),
    inviter_name: nullable(Type.String({ description: 'The name that the inviter shows to others.' })),
    is_member: Type.Boolean({ description: 'Whether you are in the space already.' }),
    expires_at: instantOut,
  }),
);
