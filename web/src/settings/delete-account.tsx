import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { localDatabase } from '../data/local-database.ts';
import { clearSession, lastSignOut } from '../data/session.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { settings: words } = screenStrings;

export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title={words.danger} lead={words.dangerLead}>
      <Button variant="danger" icon="trash" onClick={() => setOpen(true)}>
        {words.dangerStart}
      </Button>
      {isOpen && <Confirm onClose={() => setOpen(false)} />}
    </Section>
  );
}

function Confirm({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me')),
    onSuccess: async () => {
      lastSignOut.byChoice = true;
      await Promise.all([localDatabase.clear('actions'), localDatabase.clear('refusals')]);
      await clearSession();
    },
  });
  const isConfirmed = typed.trim().toLowerCase() === words.dangerWord;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isConfirmed) mutate();
  };
  return (
    <Sheet title={words.danger} onClose={onClose}>
      <p className="mb-4 text-soft">{words.dangerLead}</p>
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label={words.dangerType(words.dangerWord)}
          autoComplete="off"
          autoCapitalize="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button type="submit" variant="danger" busy={isPending} disabled={!isConfirmed}>
            {words.dangerDo}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
