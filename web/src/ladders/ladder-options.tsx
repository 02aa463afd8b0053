/** The ladders that have a name, as options of a select. */
import type { LadderBook, LadderChoice } from '../api/client.ts';
import { ladderStrings } from './ladder-strings.ts';

const PRESET = 'preset ';

export const toOption = ({ preset, ladder_id }: LadderChoice): string =>
  preset === undefined ? (ladder_id ?? '') : PRESET + preset;

export function fromOption(value: string): LadderChoice {
  if (!value.startsWith(PRESET)) return { ladder_id: value };
  return { preset: value.slice(PRESET.length) as NonNullable<LadderChoice['preset']> };
}

export const LadderOptions = ({ book }: { readonly book: LadderBook }) => (
  <>
    {book.ladders.length > 0 && (
      <optgroup label={ladderStrings.page.own}>
        {book.ladders.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    )}
    <optgroup label={ladderStrings.page.preset}>
      {book.presets.map(({ preset }) => (
        <option key={preset} value={toOption({ preset })}>
          {ladderStrings.presets[preset]}
        </option>
      ))}
    </optgroup>
  </>
);
