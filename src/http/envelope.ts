/** The shape of JSON answers: `{ok, data, error}`, and `{detail}` for a 422. */
import type { TSchema } from 'typebox';
import { component, named, Type } from '../lib/schema.ts';

export const ok = <T>(data: T) => ({ ok: true, data, error: null });

export const failure = (code: string, sentence: string) => ({ ok: false, data: null, error: `${code}: ${sentence}` });

/** The schema of a successful answer whose `data` is the given one. */
export const envelopeOf = <T extends TSchema>(data: T) =>
  Type.Object({ ok: Type.Boolean({ default: true }), data, error: Type.Null() });

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
      description: 'Where the problem is: body, query or path, then the keys down to the value.',
    }),
    msg: Type.String({ description: 'The problem, as a sentence.' }),
    type: Type.String({ description: 'The problem, as a stable code.' }),
  }),
);

export const HTTPValidationError = component(
  'HTTPValidationError',
  Type.Object(
    { detail: Type.Array(named(ValidationError), { maxItems: 20 }) },
    { examples: [{ detail: [{ type: 'missing', loc: ['body', 'title'], msg: 'Field required' }] }] },
  ),
);
