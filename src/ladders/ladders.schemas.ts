import type { NamedChoice, OwnLadder } from '../escalation/choose-ladder.ts';
import { end, givenEnd, ladderId, namedChoice, preset, rungs } from '../escalation/ladder.schemas.ts';
import { component, named, Type } from '../lib/schema.ts';

const name = Type.String({ minLength: 1, maxLength: 60, examples: ['Until it is done'] });
/** Any label of a task, the empty one too. */
export const label = Type.String({ maxLength: 100, description: 'The `kind` of the tasks.', examples: ['medication'] });

export const LadderCreate = component('LadderCreate', Type.Object({ name, rungs, end: Type.Optional(givenEnd) }));

export const LadderUpdate = component(
  'LadderUpdate',
  Type.Object({ name: Type.Optional(name), rungs: Type.Optional(rungs), end: Type.Optional(end) }),
);

export const LadderNameRequest = component('LadderNameRequest', Type.Object(namedChoice));

export const LabelLadderRequest = component('LabelLadderRequest', Type.Object({ label, ...namedChoice }));

export const LadderOut = component(
  'LadderOut',
  Type.Unsafe<OwnLadder>(Type.Object({ id: ladderId, name: Type.String(), rungs, end })),
);

const choice = { anyOf: [Type.Object({ preset }), Type.Object({ ladder_id: ladderId })] };

export const LadderBookOut = component(
  'LadderBookOut',
  Type.Object({
    presets: Type.Array(Type.Object({ preset, rungs, end }), { description: 'The ladders of the service.' }),
    ladders: Type.Array(named(LadderOut), { description: 'Your own.' }),
    labels: Type.Array(Type.Object({ label: Type.String(), ladder: Type.Unsafe<NamedChoice>(choice) }), {
      description: 'The ladder of a task that has none of its own, by its label.',
    }),
    default: Type.Unsafe<NamedChoice | null>({
      anyOf: [...choice.anyOf, Type.Null()],
      description: 'The ladder of all your other tasks; null: the default of the service.',
    }),
  }),
);
