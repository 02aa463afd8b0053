/** What the service answers when it refuses, named as in the contract. */
import { Type } from 'typebox';
import { component, named } from '../lib/schema.ts';

export const ErrorOut = component(
  'ErrorOut',
  Type.Object({
    ok: Type.Boolean({ default: false }),
    data: Type.Null(),
    error: Type.String({ description: 'A stable code, a colon, and a sentence for a person.' }),
  }),
);

export const ValidationError = component(
  'ValidationError',
  Type.Object({
    loc: Type.Array(Type.Unsafe<string | number>({ anyOf: [{ type: 'string' }, { type: 'integer' }] }), {
      description: 'Where: body, query or path, then the way down to the value.',
    }),
    msg: Type.String({ description: 'What is wrong, in words.' }),
    type: Type.String({ description: 'What is wrong, as a stable word.' }),
  }),
);

export const HTTPValidationError = component(
  'HTTPValidationError',
  Type.Object(
    { detail: Type.Array(named(ValidationError), { maxItems: 20 }) },
    { examples: [{ detail: [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required' }] }] },
  ),
);
