/** The ladders of the account: its own, its usual one, and the ones of its labels. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { LadderBook } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note, Select } from '../ui/field.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { formatLadder, type LadderShape } from './format-ladder.ts';
import { LabelLadders } from './label-ladders.tsx';
import { type EditedLadder, LadderEditor } from './ladder-editor.tsx';
import { fromOption, LadderOptions, toOption } from './ladder-options.tsx';
import { bookOptions, chooseDefault, deleteLadder } from './ladder-queries.ts';
import { LadderSign } from './ladder-sign.tsx';
import { ladderStrings } from './ladder-strings.ts';

const { page: words, presets } = ladderStrings;

export function LaddersPage() {
  const { data: book, error, refetch } = useQuery(bookOptions);
  const [open, setOpen] = useState<EditedLadder>();
  return (
    <Page title={words.title} lead={words.lead} back={{ to: '/settings', label: strings.nav.settings }}>
      {!book && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={3} tall />)}
      {book && (
        <>
          <OwnLadders book={book} onEdit={setOpen} />
          <Usual book={book} />
          <LabelLadders book={book} />
          <Presets book={book} onEdit={setOpen} />
        </>
      )}
      {open && <LadderEditor start={open} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

interface ListProps {
  readonly book: LadderBook;
  readonly onEdit: (ladder: EditedLadder) => void;
}

function OwnLadders({ book, onEdit }: ListProps) {
  const [removed, setRemoved] = useState<LadderBook['ladders'][number]>();
  const [first] = book.presets;
  return (
    <Section title={words.own} lead={book.ladders.length === 0 ? words.ownNone : words.ownLead}>
      <ul className="mb-4 empty:hidden">
        {book.ladders.map((ladder) => (
          <Row key={ladder.id} name={ladder.name} ladder={ladder}>
            <IconButton icon="edit" label={words.edit(ladder.name)} onClick={() => onEdit(ladder)} />
            <IconButton icon="trash" label={words.delete(ladder.name)} onClick={() => setRemoved(ladder)} />
          </Row>
        ))}
      </ul>
      <Button icon="plus" onClick={() => first && onEdit({ ...first, name: '' })}>
        {words.make}
      </Button>
      {removed && <Delete ladder={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function Delete({ ladder, onClose }: { readonly ladder: LadderBook['ladders'][number]; readonly onClose: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => deleteLadder(ladder.id),
    onSuccess: () => {
      showToast(words.deleted(ladder.name));
      onClose();
    },
  });
  return (
    <Sheet title={words.deleteSure(ladder.name)} onClose={onClose}>
      <p className="mb-5 text-soft">{words.deleteText}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="mt-3 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {words.deleteDo}
        </Button>
      </div>
    </Sheet>
  );
}

const Presets = ({ book, onEdit }: ListProps) => (
  <Section title={words.preset} lead={words.presetLead}>
    <ul>
      {book.presets.map(({ preset, rungs, end }) => (
        <Row key={preset} name={presets[preset]} ladder={{ rungs, end }}>
          <Button
            variant="plain"
            aria-label={words.copyNamed(presets[preset])}
            onClick={() => onEdit({ name: words.copyOf(presets[preset]), rungs, end })}
          >
            {words.copy}
          </Button>
        </Row>
      ))}
    </ul>
  </Section>
);

interface RowProps {
  readonly name: string;
  readonly ladder: LadderShape;
  readonly children: ReactNode;
}

const Row = ({ name, ladder, children }: RowProps) => (
  <li className="flex items-center gap-x-3 border-line border-t py-2">
    <div className="min-w-0 grow">
      <p className="flex items-center gap-3 font-semibold">
        {name}
        <LadderSign ladder={ladder} />
      </p>
      <p className="text-sm text-soft">{formatLadder(ladder)}</p>
    </div>
    <div className="flex shrink-0">{children}</div>
  </li>
);

function Usual({ book }: { readonly book: LadderBook }) {
  const { mutate, error } = useMutation({
    // The default of the service is no choice.
    mutationFn: (value: string) => chooseDefault(value === SERVICE ? undefined : fromOption(value)),
    onSuccess: () => showToast(strings.saved),
  });
  return (
    <Section title={words.default} lead={words.defaultLead}>
      <Select
        label={words.others}
        value={book.default ? toOption(book.default) : SERVICE}
        onChange={(event) => mutate(event.target.value)}
      >
        <LadderOptions book={book} />
      </Select>
      {error && (
        <div className="mt-3">
          <Note tone="danger">{problemText(error)}</Note>
        </div>
      )}
    </Section>
  );
}

const SERVICE = toOption({ preset: 'default' });
