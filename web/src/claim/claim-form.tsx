/** Takes the word that makes the first administrator. The service shows it in its terminal and nowhere else. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { claimStrings as words } from '../claim-strings.ts';
import { ownSessionOptions } from '../data/own-session.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

interface ClaimFormProps {
  readonly onClaimed?: () => void;
  /** Another button, beside the one that sends the word. */
  readonly children?: ReactNode;
}

export function ClaimForm({ onClaimed, children }: ClaimFormProps) {
  const [word, setWord] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/claim', { body: { word } })),
    onSuccess: () => {
      showToast(words.claimed);
      onClaimed?.();
      return queryClient.invalidateQueries(ownSessionOptions);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={words.word}
        hint={words.hint}
        problem={error ? problemText(error) : undefined}
        placeholder={words.example}
        maxLength={100}
        required
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={word}
        onChange={(event) => setWord(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={isPending}>
          {words.claim}
        </Button>
        {children}
      </div>
    </form>
  );
}
