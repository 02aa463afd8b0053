/** The ladder of a task in words. */
import { quoted } from './shown-text.ts';

export interface ApiLadder {
  readonly rungs: readonly { readonly after: number | string }[];
  readonly name: string | null;
  readonly preset: string | null;
  readonly from: string;
  readonly label: string | null;
  readonly fitted: readonly string[];
}

export const LONGEST_NAME = 60;

const FITTED: Readonly<Record<string, string>> = {
  waits_lengthened: 'its waits lengthened to the shortest that is allowed',
  repeats_although_ended: 'on and on after its end, as it breaks quiet hours',
  once_only: 'its first reminder only, as it notifies once',
  waits_limited_by_token: 'its waits lengthened for an access token',
};

/** `gentle, by the label "garden"` */
export function ladderInWords({ rungs, name, preset, from, label, fitted }: ApiLadder): string {
  const chosenBy = label === null ? '' : `, by the label ${quoted(label, LONGEST_NAME)}`;
  const byDefault = from === 'account' ? ", the user's default" : '';
  const what = preset ?? (name === null ? waitsInWords(rungs) : quoted(name, LONGEST_NAME));
  // The stage that a token limits is said beside it.
  const departures = fitted.flatMap((fit) => (FITTED[fit] === undefined ? [] : [`; ${FITTED[fit]}`]));
  return `${what}${chosenBy}${byDefault}${departures.join('')}`;
}

function waitsInWords(rungs: ApiLadder['rungs']): string {
  const waits = rungs.slice(1).flatMap(({ after }) => (typeof after === 'number' ? [after] : []));
  if (waits.length < rungs.length - 1) return 'rungs of its own';
  if (waits.length === 0) return 'one reminder';
  const [least, most] = [Math.min(...waits), Math.max(...waits)];
  return least === most ? `every ${least} minutes` : `every ${least} to ${most} minutes`;
}
