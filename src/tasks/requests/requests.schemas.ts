import { component, instantOut, nullable, nullableInstantOut, Type } from '../../lib/schema.ts';

const id = Type.String({ format: 'uuid' });

export const RequestOut = component(
  'RequestOut',
  Type.Object({
    task_id: id,
    direction: Type.String({ description: '`to_me`: somebody asked you. `from_me`: you asked somebody.' }),
    person_id: Type.String({ format: 'uuid', description: 'Who asked you, or whom you asked.' }),
    person_name: nullable(Type.String()),
    space_id: nullable(id),
    space_name: nullable(Type.String()),
    asked_at: instantOut,
    messages_sent: Type.Integer({ description: 'How often the person was told: once, and at most three repeats.' }),
    next_message_at: nullableInstantOut,
    unanswered: Type.Boolean({ description: 'Nobody answered, and no more messages come.' }),
  }),
);

export const AskRequest = component(
  'AskRequest',
  Type.Object({ owner_id: Type.String({ format: 'uuid', description: 'A member of the space, or yourself.' }) }),
);

export const RequestMessages = component(
  'RequestMessages',
  Type.Object({
    enabled: Type.Boolean({
      description: 'Whether your channels and browsers get messages about requests: to you, and answers to yours.',
    }),
  }),
);
