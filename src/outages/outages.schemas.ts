import { component, instantOut, nullable, Type } from '../lib/schema.ts';

const id = Type.String({ format: 'uuid' });

export const OutageOut = component(
  'OutageOut',
  Type.Object({
    id,
    from: Type.Unsafe<Date>({ ...instantOut, description: 'The last sign of life before.' }),
    to: instantOut,
    count: Type.Integer({ description: 'How many of your nudges were late.' }),
    tasks: Type.Array(
      Type.Object({
        id,
        title: Type.String(),
        planned_at: Type.Unsafe<Date>({ ...instantOut, description: 'When the nudge was planned.' }),
        announced_via: nullable(
          Type.String({ description: 'The kind of channel that has probably announced the task in that time.' }),
        ),
      }),
      { description: 'The first 20 of them, without tasks that are no longer yours.' },
    ),
  }),
);
