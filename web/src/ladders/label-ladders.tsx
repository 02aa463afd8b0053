import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import type { LadderBook } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { useTasks } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { countLabels, NO_LABEL } from '../find/labels.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field, Note, Select } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { fromOption, LadderOptions, toOption } from './ladder-options.tsx';
import { chooseForLabel } from './ladder-queries.ts';
import { ladderStrings } from './ladder-strings.ts';

const { page: words } = ladderStrings;

interface Change {
  readonly label: string;
  /** Empty takes the ladder from the label. */
  readonly value: string;
}

export function LabelLadders({ book }: { readonly book: LadderBook }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ label, value }: Change) => chooseForLabel(label, value === '' ? undefined : fromOption(value)),
    onSuccess: () => showToast(strings.saved),
  });
  return (
    <Section title={words.labels} lead={words.labelsLead}>
      <ul className="mb-4 grid gap-3 empty:hidden">
        {book.labels.map(({ label, ladder }) => (
          <li key={label} className="flex items-end gap-2">
            <Select
              label={label}
              className="grow"
              aria-label={words.ladderOf(label)}
              value={toOption(ladder)}
              onChange={(event) => mutate({ label, value: event.target.value })}
            >
              <LadderOptions book={book} />
            </Select>
            <IconButton icon="trash" label={words.removeLabel(label)} onClick={() => mutate({ label, value: '' })} />
          </li>
        ))}
      </ul>
      <AddLabel book={book} isBusy={isPending} onAdd={mutate} />
      {error && (
        <div className="mt-3">
          <Note tone="danger">{problemText(error)}</Note>
        </div>
      )}
    </Section>
  );
}

interface AddLabelProps {
  readonly book: LadderBook;
  readonly isBusy: boolean;
  readonly onAdd: (change: Change) => void;
}

function AddLabel({ book, isBusy, onAdd }: AddLabelProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [value, setValue] = useState(toOption({ preset: 'gentle' }));
  const label = typed.trim();
  const known = countLabels(Object.values(useTasks() ?? {}));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (label === '' || label === NO_LABEL) return;
    onAdd({ label, value });
    setTyped('');
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <Field
        className="grow basis-36"
        label={words.label}
        value={typed}
        list={id}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      <datalist id={id}>
        {known.map(([one]) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <Select
        className="grow basis-36"
        label={words.ladder}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      >
        <LadderOptions book={book} />
      </Select>
      <Button type="submit" busy={isBusy} disabled={label === ''}>
        {words.addLabel}
      </Button>
    </form>
  );
}
