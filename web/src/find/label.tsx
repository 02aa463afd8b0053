import { type Colour, colourOf, NO_LABEL, useLabelColours } from './labels.ts';

export function Label({ kind }: { readonly kind: string }) {
  const colours = useLabelColours();
  if (kind === NO_LABEL) return null;
  return (
    <span className="inline-flex items-center gap-1.5">
      <LabelDot colour={colourOf(kind, colours)} />
      {kind}
    </span>
  );
}

/** The word is beside it: the colour alone says nothing. */
export const LabelDot = ({ colour }: { readonly colour: Colour }) => (
  <span
    aria-hidden="true"
    className="inline-block size-2.5 shrink-0 rounded-full"
    style={{ background: `var(--color-label-${colour})` }}
  />
);
