/** The controls that the repeat fields are made of: buttons that are on or off, and lists that grow by one entry. */
import { type ReactNode, useId } from 'react';
import { screenStrings } from '../screen-strings.ts';
import { Icon } from '../ui/icons.tsx';

interface ToggleProps<T> {
  readonly legend: string;
  readonly hint?: string;
  readonly options: readonly (readonly [value: T, label: string, name: string])[];
  readonly chosen: readonly T[];
  readonly columns: string;
  readonly onChange: (chosen: T[]) => void;
}

/** In the order of the options. Choices that are no option stay. */
export function Toggles<T>({ legend, hint, options, chosen, columns, onChange }: ToggleProps<T>) {
  const others = chosen.filter((value) => !options.some(([option]) => option === value));
  const toggle = (value: T) =>
    onChange([
      ...options.map(([option]) => option).filter((option) => (option === value) !== chosen.includes(option)),
      ...others,
    ]);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-semibold">{legend}</legend>
      <div className={`grid gap-1.5 ${columns}`}>
        {options.map(([value, label, name]) => (
          <button
            key={label}
            type="button"
            aria-pressed={chosen.includes(value)}
            onClick={() => toggle(value)}
            className="relative min-h-11 rounded-xl border border-strong-line text-sm aria-pressed:border-ember aria-pressed:bg-ember aria-pressed:font-semibold aria-pressed:text-on-ember"
          >
            <span aria-hidden="true">{label}</span>
            <span className="sr-only">{name}</span>
          </button>
        ))}
      </div>
      {hint && <p className="mt-1.5 text-sm text-soft">{hint}</p>}
    </fieldset>
  );
}

interface ListProps<T> {
  readonly legend: string;
  readonly hint: string;
  readonly entries: readonly T[];
  readonly name: (entry: T) => string;
  readonly onRemove: (entry: T) => void;
  /** The fields that add an entry. */
  readonly children: ReactNode;
}

export function GrowingList<T>({ legend, hint, entries, name, onRemove, children }: ListProps<T>) {
  const id = useId();
  return (
    <fieldset className="min-w-0" aria-describedby={id}>
      <legend className="mb-1.5 text-sm font-semibold">{legend}</legend>
      {entries.length === 0 ? (
        <p id={id} className="mb-2 text-sm text-soft">
          {hint}
        </p>
      ) : (
        <ul id={id} className="mb-2 flex flex-wrap gap-1.5">
          {entries.map((entry) => (
            <li key={name(entry)}>
              <button
                type="button"
                aria-label={screenStrings.repeat.remove(name(entry))}
                onClick={() => onRemove(entry)}
                className="inline-flex min-h-11 items-center gap-1.5 rounded-xl border border-ember bg-ember px-3 text-sm font-semibold text-on-ember"
              >
                {name(entry)}
                <Icon name="close" className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-end gap-2">{children}</div>
    </fieldset>
  );
}
