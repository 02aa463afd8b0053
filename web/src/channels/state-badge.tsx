import { screenStrings } from '../screen-strings.ts';

const COLOURS: Readonly<Record<string, string>> = {
  working: 'bg-good-wash text-good',
  needs_attention: 'bg-danger-wash text-danger',
  unconfirmed: 'bg-ember-wash text-ember',
  incomplete: 'bg-ember-wash text-ember',
};

/** The state in a word; the colour only supports it. */
export const StateBadge = ({ state }: { readonly state: string }) => (
  <span className={`rounded-full px-2.5 py-0.5 text-sm font-medium ${COLOURS[state] ?? 'bg-sunk text-soft'}`}>
    {screenStrings.reach.states[state] ?? state}
  </span>
);
