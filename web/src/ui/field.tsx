import { type ComponentProps, type ReactNode, useId } from 'react';

interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
}

export function Field({ label, hint, problem, className = '', ...rest }: FieldProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className="field"
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={`mt-1.5 text-sm ${problem === undefined ? 'text-soft' : 'text-danger'}`}
          role={problem === undefined ? undefined : 'alert'}
        >
          {note}
        </p>
      )}
    </div>
  );
}

interface SelectProps extends ComponentProps<'select'> {
  readonly label: string;
  readonly hint?: string;
}

export function Select({ label, hint, className = '', children, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label}
      </label>
      <select {...rest} id={id} className="field" aria-describedby={hint ? `${id}-note` : undefined}>
        {children}
      </select>
      {hint && (
        <p id={`${id}-note`} className="mt-1.5 text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="py-1">
      <label className="flex min-h-8 items-center justify-between gap-4 font-medium">
        {label}
        <input
          type="checkbox"
          role="switch"
          className="switch"
          checked={checked}
          aria-checked={checked}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
      </label>
      {hint && (
        <p id={id} className="mt-0.5 max-w-[85%] text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

export function Note({
  tone = 'soft',
  children,
}: {
  readonly tone?: 'soft' | 'danger' | 'good';
  readonly children: ReactNode;
}) {
  const colours = { soft: 'bg-sunk text-soft', danger: 'bg-danger-wash text-danger', good: 'bg-good-wash text-good' };
  return (
    <p role={tone === 'danger' ? 'alert' : undefined} className={`rounded-xl px-4 py-3 text-sm ${colours[tone]}`}>
      {children}
    </p>
  );
}
