const TONES = {
  good: 'bg-good-wash text-good',
  danger: 'bg-danger-wash text-danger',
  ember: 'bg-ember-wash text-ember',
  soft: 'bg-sunk text-soft',
};

/** A state in a word; the colour only supports it. */
export const Badge = ({ tone, children }: { readonly tone: keyof typeof TONES; readonly children: string }) => (
  <span className={`rounded-full px-2.5 py-0.5 text-sm font-medium whitespace-nowrap ${TONES[tone]}`}>{children}</span>
);
