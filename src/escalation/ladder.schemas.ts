/** A ladder as the API takes and shows it, and as an archive has it. */
import { nullable, Type } from '../lib/schema.ts';
import { MOST_RUNGS } from './check-ladder.ts';
import type { After, Ladder } from './ladder.ts';
import { PRESET_NAMES, type PresetName } from './presets.ts';

/** Thirty days. */
const LONGEST_WAIT = 43_200;
const MOST_TIMES = 1_000;

export const preset = Type.Unsafe<PresetName>({
  type: 'string',
  enum: PRESET_NAMES,
  description: 'A ladder of the service.',
});
export const ladderId = Type.String({ format: 'uuid', description: 'A ladder of your own.' });

const after = Type.Unsafe<After>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: LONGEST_WAIT,
  pattern: '^(day_start|([01][0-9]|2[0-3]):[0-5][0-9])$',
  description:
    'Minutes since the previous nudge; or `day_start` for the start of your next day, or `HH:MM` for that time of the ' +
    'next day. The first rung is the nudge at the due moment, so it has 0.',
  examples: [15],
});

const rung = Type.Object({
  after,
  stage: Type.Integer({ minimum: 0, maximum: 2, description: 'How strong the nudge is. Stages only rise.' }),
});

export const rungs = Type.Unsafe<Ladder['rungs']>({
  ...Type.Array(rung, { minItems: 1, maxItems: MOST_RUNGS }),
  examples: [
    [
      { after: 0, stage: 0 },
      { after: 10, stage: 1 },
    ],
  ],
});

const repeats = Type.Object({
  repeat_last: Type.Integer({ minimum: 1, maximum: MOST_RUNGS, description: 'How many of the last rungs repeat.' }),
  times: nullable(
    Type.Integer({ minimum: 1, maximum: MOST_TIMES, description: 'How many times; null for without end.' }),
  ),
});

export const end = Type.Unsafe<Ladder['end']>({
  ...repeats,
  type: ['object', 'null'],
  description: 'What happens after the last rung; null: the ladder stops.',
});

/** An absent one means: the last of several rungs repeats without end. */
export const givenEnd = Type.Unsafe<Ladder['end']>({
  ...end,
  description:
    'What happens after the last rung; null: the ladder stops. If it is absent, the last of several rungs repeats ' +
    'without end.',
});

/** One of the two. */
export const namedChoice = { preset: Type.Optional(preset), ladder_id: Type.Optional(ladderId) };

/** One of the three; the end belongs to the rungs. */
export const ladderChoice = {
  ...namedChoice,
  rungs: Type.Optional(Type.Unsafe<Ladder['rungs']>({ ...rungs, description: 'A ladder without a name.' })),
  end: Type.Optional(givenEnd),
};
