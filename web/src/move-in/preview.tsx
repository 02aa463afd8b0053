/** What a file would bring, and the person's choices. Nothing is imported before the button is pressed. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MoveInPreview } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { fromOption, LadderOptions } from '../ladders/ladder-options.tsx';
import { bookOptions } from '../ladders/ladder-queries.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { startImport } from './move-in-queries.ts';
import { moveInStrings as words } from './move-in-strings.ts';
import { FirstTasks, LeftOut, NotUnderstood, Rules } from './preview-parts.tsx';

interface PreviewProps {
  readonly preview: MoveInPreview;
  /** The import has begun, or the person wants another file. */
  readonly onDone: () => void;
}

const USUAL = '';

export function Preview({ preview, onDone }: PreviewProps) {
  const [which, setWhich] = useState<'all' | 'open'>('open');
  const [labels, setLabels] = useState<ReadonlyMap<number, string>>();
  const [ladder, setLadder] = useState(USUAL);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      startImport(preview, { which, labels: toLabels(labels), ladder: ladder === USUAL ? null : fromOption(ladder) }),
    onSuccess: onDone,
  });
  const count = which === 'all' ? preview.tasks : preview.open;
  return (
    <>
      <Section title={words.found(words.sources[preview.source], preview.tasks)} lead={words.foundLead}>
        <Facts preview={preview} />
        <Which preview={preview} which={which} onChoose={setWhich} />
        <Labels lists={preview.lists} labels={labels} onChange={setLabels} />
        <Ladder value={ladder} onChoose={setLadder} />
        {error && (
          <div className="mb-4">
            <Note tone="danger">{problemText(error)}</Note>
          </div>
        )}
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" busy={isPending} disabled={count === 0} onClick={() => mutate()}>
            {count === 0 ? words.nothing : words.start(count)}
          </Button>
          <Button onClick={onDone}>{words.cancel}</Button>
        </div>
      </Section>
      <NotUnderstood remarks={preview.not_understood} count={preview.not_understood_count} />
      <Rules rules={preview.rules} count={preview.repeating} />
      <FirstTasks tasks={preview.examples} />
      <LeftOut parts={preview.left_out} />
    </>
  );
}

const toLabels = (labels: ReadonlyMap<number, string> | undefined) =>
  [...(labels ?? [])].map(([list, label]) => ({ list, label: label.trim() })).filter(({ label }) => label !== '');

const Facts = ({ preview: { open, closed, already_there, overdue } }: Pick<PreviewProps, 'preview'>) => (
  <ul className="mb-5 grid gap-1.5">
    <li>{words.counts(open, closed)}</li>
    {already_there > 0 && <li>{words.alreadyThere(already_there)}</li>}
    {overdue > 0 && <li>{words.overdue(overdue)}</li>}
  </ul>
);

interface WhichProps extends Pick<PreviewProps, 'preview'> {
  readonly which: 'all' | 'open';
  readonly onChoose: (which: 'all' | 'open') => void;
}

function Which({ preview: { open, closed, tasks }, which, onChoose }: WhichProps) {
  if (closed === 0) return null;
  const options = [
    ['open', words.onlyOpen(open)],
    ['all', words.everything(tasks)],
  ] as const;
  return (
    <fieldset className="mb-5">
      <legend className="mb-1.5 text-sm font-semibold">{words.which}</legend>
      {options.map(([value, label]) => (
        <label key={value} className="flex min-h-11 items-center gap-3">
          <input
            type="radio"
            name="which"
            className="size-5 accent-ember"
            checked={which === value}
            onChange={() => onChoose(value)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface LabelsProps extends Pick<MoveInPreview, 'lists'> {
  /** By the index of the list; undefined if no list has one. */
  readonly labels: ReadonlyMap<number, string> | undefined;
  readonly onChange: (labels: ReadonlyMap<number, string> | undefined) => void;
}

/** The names of the lists are the first suggestion. */
function Labels({ lists, labels, onChange }: LabelsProps) {
  if (lists.length === 0) return null;
  const suggested = () => new Map(lists.map(({ name }, index) => [index, name]));
  return (
    <div className="mb-5">
      <Switch
        label={words.withLabels}
        checked={labels !== undefined}
        onChange={(isOn) => onChange(isOn ? suggested() : undefined)}
      />
      {labels && (
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          {lists.map(({ name, open, closed }, index) => (
            <Field
              // biome-ignore lint/suspicious/noArrayIndexKey: the lists never change their order.
              key={index}
              label={words.labelOf(name)}
              hint={words.listCount(open, closed)}
              maxLength={100}
              value={labels.get(index) ?? ''}
              onChange={(event) => onChange(new Map([...labels, [index, event.target.value]]))}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function Ladder({ value, onChoose }: { readonly value: string; readonly onChoose: (value: string) => void }) {
  const { data: book } = useQuery(bookOptions);
  if (!book) return null;
  return (
    <Select label={words.ladder} className="mb-5" value={value} onChange={(event) => onChoose(event.target.value)}>
      <option value={USUAL}>{words.usualLadder}</option>
      <LadderOptions book={book} />
    </Select>
  );
}
