import { component, named, Type } from '../../lib/schema.ts';

/** Each has one shade for light and one for dark screens (`web/src/styles.css`). A name is never removed: rows hold it. */
export const LABEL_COLOURS = ['gold', 'orange', 'red', 'purple', 'blue', 'teal', 'green', 'olive'] as const;

/** Far more labels than a person tells apart. */
export const MAX_LABELS = 500;
/** As long as the kind of a task. */
const MAX_LENGTH = 100;

export const labelName = Type.String({
  minLength: 1,
  maxLength: MAX_LENGTH,
  description: 'The label, which is the `kind` of its tasks.',
});

export const LabelColour = component(
  'LabelColour',
  Type.Object({
    label: labelName,
    colour: Type.Unsafe<(typeof LABEL_COLOURS)[number]>({ type: 'string', enum: [...LABEL_COLOURS] }),
  }),
);

export const LabelColours = component(
  'LabelColours',
  Type.Object({
    labels: Type.Array(named(LabelColour), { maxItems: MAX_LABELS }),
    keep_existing: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether a label that has a colour already keeps it.' }),
    ),
  }),
);
