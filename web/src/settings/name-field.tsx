import { screenStrings } from '../screen-strings.ts';
import { Field } from '../ui/field.tsx';

const { passkeys: words } = screenStrings;

interface NameFieldProps {
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** The name that a person gives to a passkey or a session. */
export function NameField({ name, onChange }: NameFieldProps) {
  return (
    <Field
      label={words.name}
      hint={words.nameHint}
      // White space alone is not a name.
      pattern=".*\S.*"
      maxLength={100}
      required
      autoComplete="off"
      value={name}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
