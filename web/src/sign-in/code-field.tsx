/** The forms of signing in: how one is sent, and the field for a code. */
import { type FormEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { Field } from '../ui/field.tsx';

/** Runs the submission of a form and keeps its error for the field. */
export function useSubmit() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>) => async (event?: FormEvent) => {
    event?.preventDefault();
    setBusy(true);
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(problemText(error)));
    setBusy(false);
  };
  return { problem, busy, run };
}

interface CodeFieldProps {
  readonly label: string;
  readonly code: string;
  readonly onChange: (code: string) => void;
  readonly problem: string | undefined;
  /** A recovery code has letters, which a keypad of numbers cannot type. */
  readonly hasLetters?: boolean;
}

export function CodeField({ label, code, onChange, problem, hasLetters = false }: CodeFieldProps) {
  return (
    <Field
      label={label}
      name="code"
      autoComplete="one-time-code"
      inputMode={hasLetters ? 'text' : 'numeric'}
      autoCapitalize="none"
      maxLength={32}
      required
      // The step has one field and follows a click, so moving the focus does not surprise.
      autoFocus
      value={code}
      problem={problem}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
