import { useEffect, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

const { kept: words } = screenStrings;
/** Long enough to type the minutes after the hours. */
const SAVE_AFTER_MS = 1_000;

interface SavedFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'time';
  readonly autoComplete?: string;
  readonly maxLength?: number;
  readonly value: string;
  readonly isRequired?: boolean;
  readonly onSave: (value: string) => Promise<unknown>;
}

/**
 * A setting that is stored a moment after it was changed, and at once when the field or the page is left. If that fails,
 * the field keeps the text and says so.
 */
export function SavedField({ value, onSave, isRequired = false, ...field }: SavedFieldProps) {
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isSendable = typed !== undefined && typed.trim() !== value && !(isRequired && typed === '');
  const save = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (!isSendable) return setTyped(undefined);
    return void onSave(typed.trim()).then(
      () => {
        setProblem(undefined);
        // More may have been typed since.
        setTyped((now) => (now === typed ? undefined : now));
      },
      (error: unknown) => setProblem(problemText(error)),
    );
  };
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const saveNow = () => {
      if (timer.current !== undefined) latest.current();
    };
    addEventListener('pagehide', saveNow);
    return () => {
      removeEventListener('pagehide', saveNow);
      saveNow();
    };
  }, []);
  return (
    <div className="min-w-0 grow">
      <Field
        {...field}
        value={typed ?? value}
        problem={problem && `${words.notSaved} ${problem}`}
        onChange={(event) => {
          setTyped(event.target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => latest.current(), SAVE_AFTER_MS);
        }}
        onBlur={() => timer.current !== undefined && save()}
      />
      {problem && (
        <Button className="mt-2" onClick={save}>
          {words.tryAgain}
        </Button>
      )}
    </div>
  );
}
