/** A field for a small whole number, with a button on each side. */
import { useId, useState } from 'react';
import { strings } from '../strings.ts';

interface StepperProps {
  readonly label: string;
  /** Only for screen readers, where what is around says the same. */
  readonly hidesLabel?: boolean;
  /** The id of the sentence that says what is wrong with the number. */
  readonly wrong?: string | undefined;
  readonly hint?: string;
  /** Shown behind the number: "weeks". */
  readonly unit?: string;
  /** Null while the field is empty. */
  readonly value: number | null;
  readonly min?: number;
  readonly max: number;
  /** Shown in the empty field. Without it the field is never empty for long. */
  readonly empty?: string;
  readonly className?: string;
  readonly onChange: (value: number | null) => void;
}

export function Stepper(props: StepperProps) {
  const { label, hidesLabel, hint, unit, value, min = 1, max, empty, className = '', onChange } = props;
  const id = useId();
  // While somebody types, the text may be empty or out of bounds.
  const [typed, setTyped] = useState<string>();
  // Arrow keys are announced by the browser itself.
  const [isPressed, setPressed] = useState(false);
  const type = (text: string) => {
    setTyped(text);
    setPressed(false);
    const number = Number(text);
    if (text !== '') onChange(Math.min(max, Math.max(min, Math.round(number) || min)));
    else if (empty !== undefined) onChange(null);
  };
  const press = (next: number | null) => {
    setTyped(undefined);
    setPressed(true);
    onChange(next);
  };
  const isLowest = value === null || (value <= min && empty === undefined);
  const lower = value === null || value <= min ? null : Math.max(min, value - 1);
  const higher = value === null ? min : Math.min(max, value + 1);
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'mb-1.5 block text-sm font-semibold'}>
        {label}
      </label>
      <div className="flex items-center gap-3">
        <div className="stepper">
          <Press name={strings.stepper.less(label)} sign="−" isOff={isLowest} onPress={() => press(lower)} />
          <input
            id={id}
            type="number"
            inputMode="numeric"
            min={min}
            max={max}
            placeholder={empty}
            value={typed ?? value ?? ''}
            {...describedBy(id, props)}
            onChange={(event) => type(event.target.value)}
            onBlur={() => setTyped(undefined)}
          />
          <Press name={strings.stepper.more(label)} sign="+" isOff={value === max} onPress={() => press(higher)} />
        </div>
        {unit && (
          <span id={`${id}-unit`} className="min-w-0">
            {unit}
          </span>
        )}
      </div>
      <span role="status" className="sr-only">
        {isPressed && (value === null ? empty : `${value} ${unit ?? ''}`)}
      </span>
      {hint && (
        <p id={`${id}-note`} className="mt-1.5 text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Where screen readers find what is said about the number. */
function describedBy(id: string, { unit, hint, wrong }: StepperProps) {
  const notes = [unit && `${id}-unit`, hint && `${id}-note`, wrong].filter(Boolean).join(' ');
  return { ...(notes && { 'aria-describedby': notes }), ...(wrong && { 'aria-invalid': true }) };
}

interface PressProps {
  readonly name: string;
  readonly sign: string;
  readonly isOff: boolean;
  readonly onPress: () => void;
}

/** Left out of the order of Tab: in the field, the arrow keys do the same. */
const Press = ({ name, sign, isOff, onPress }: PressProps) => (
  <button type="button" tabIndex={-1} aria-label={name} disabled={isOff} onClick={onPress}>
    {sign}
  </button>
);
