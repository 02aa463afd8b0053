import { type FormEvent, useId, useState } from 'react';
import type { Task, TaskUpdate } from '../api/client.ts';
import { enqueueAction } from '../data/action-queue.ts';
import { useSpaces } from '../data/people.ts';
import { currentUserId, useTasks, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { countLabels } from '../find/labels.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { type EditFields, endsBeforeStart, hasBadMonthDay, toFields, toUpdate } from './edit-fields.ts';
import { RepeatFields } from './repeat-fields.tsx';

const LEADS = ['', '0', '1', '2', '3', '5', '7', '14', '30'];

interface TaskEditorProps {
  readonly task: Task;
  /** An edit that the service refused: the editor opens with the same input. */
  readonly refused?: TaskUpdate | undefined;
  readonly onClose: () => void;
}

export function TaskEditor({ task, refused, onClose }: TaskEditorProps) {
  const zone = useZone();
  const [before] = useState(() => toFields(task, zone));
  const [fields, setFields] = useState(() => (refused ? toFields({ ...task, ...refused } as Task, zone) : before));
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const set = (change: Partial<EditFields>) => {
    setFields({ ...fields, ...change });
    setProblem(undefined);
  };
  const isChanged = Object.keys(toUpdate(before, fields, zone)).length > 0;
  const closeOrAsk = () => (isChanged ? setAsking(!isAsking) : onClose());
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fields.title.trim() === '') return setProblem(screenStrings.editor.titleMissing);
    if (fields.freq !== 'never' && fields.freq !== 'custom' && fields.date === '')
      return setProblem(screenStrings.editor.repeatNeedsDate);
    if (endsBeforeStart(fields)) return setProblem(screenStrings.editor.endsTooEarly);
    if (hasBadMonthDay(fields)) return setProblem(screenStrings.editor.badMonthDay);
    const update = toUpdate(before, fields, zone);
    if (Object.keys(update).length > 0) {
      await enqueueAction({ kind: 'edit', task, userId: currentUserId(), body: update });
      showToast(strings.saved);
    }
    return onClose();
  };
  return (
    <Sheet title={isAsking ? screenStrings.editor.discardSure : screenStrings.editor.title} onClose={closeOrAsk}>
      {isAsking && <DiscardOrKeep onKeep={() => setAsking(false)} onDiscard={onClose} />}
      <form hidden={isAsking} onSubmit={submit} className="grid gap-5">
        <Field
          label={screenStrings.editor.name}
          value={fields.title}
          maxLength={200}
          required
          onChange={(event) => set({ title: event.target.value })}
        />
        <Notes value={fields.notes} onChange={(notes) => set({ notes })} />
        <div className="grid gap-3 min-[26rem]:grid-cols-2">
          <Field
            label={screenStrings.editor.date}
            type="date"
            value={fields.date}
            onChange={(event) => set({ date: event.target.value })}
          />
          <Field
            label={screenStrings.editor.time}
            type="time"
            value={fields.time}
            disabled={fields.date === ''}
            onChange={(event) => set({ time: event.target.value })}
          />
          <p className="col-span-2 -mt-1.5 text-sm text-soft">{screenStrings.editor.timeHint}</p>
        </div>
        <RepeatFields fields={fields} hasCustom={before.freq === 'custom'} set={set} />
        <Select
          label={screenStrings.editor.lead}
          value={fields.lead}
          onChange={(event) => set({ lead: event.target.value })}
        >
          {[...new Set([...LEADS, fields.lead])].map((lead) => (
            <option key={lead} value={lead}>
              {formatLead(lead)}
            </option>
          ))}
        </Select>
        <Switch
          label={screenStrings.editor.escalate}
          hint={screenStrings.editor.escalateHint}
          checked={fields.escalates}
          onChange={(escalates) => set({ escalates })}
        />
        <Switch
          label={screenStrings.editor.mustNotMiss}
          hint={screenStrings.editor.mustNotMissHint}
          checked={fields.mustNotMiss}
          onChange={(mustNotMiss) => set({ mustNotMiss })}
        />
        <SpaceSelect value={fields.spaceId} onChange={(spaceId) => set({ spaceId })} />
        <Field
          label={screenStrings.editor.kind}
          hint={screenStrings.editor.kindHint}
          value={fields.kind}
          list="labels"
          autoComplete="off"
          onChange={(event) => set({ kind: event.target.value })}
        />
        <KnownLabels />
        {problem && <Note tone="danger">{problem}</Note>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button type="submit" variant="primary">
            {strings.save}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

/** The labels that the field proposes. */
const KnownLabels = () => (
  <datalist id="labels">
    {countLabels(Object.values(useTasks() ?? {})).map(([label]) => (
      <option key={label} value={label} />
    ))}
  </datalist>
);

const focus = (button: HTMLButtonElement | null) => button?.focus();

/** Asked inside the same dialog: browsers close two dialogs with one Esc. */
function DiscardOrKeep({ onKeep, onDiscard }: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button variant="danger" onClick={onDiscard}>
        {screenStrings.editor.discard}
      </Button>
      <Button variant="primary" ref={focus} onClick={onKeep}>
        {screenStrings.editor.keepEditing}
      </Button>
    </div>
  );
}

function formatLead(lead: string): string {
  if (lead === '') return screenStrings.editor.leadNone;
  return lead === '0' ? screenStrings.editor.leadMorning : screenStrings.editor.leadDays(Number(lead));
}

function Notes({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {screenStrings.editor.notes}
      </label>
      <textarea
        id={id}
        rows={3}
        maxLength={10_000}
        className="field"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

function SpaceSelect({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const spaces = useSpaces().data ?? [];
  if (spaces.length === 0 && value === '') return null;
  return (
    <Select label={screenStrings.editor.space} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{screenStrings.editor.noSpace}</option>
      {spaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
