import { type FormEvent, useEffect, useId, useState } from 'react';
import { parseWallTime, toInstant } from '../../../src/words/wall-time.ts';
import type { Task, TaskUpdate } from '../api/client.ts';
import { serviceNow } from '../api/service-clock.ts';
import { enqueueAction } from '../data/action-queue.ts';
import { useSpaces } from '../data/people.ts';
import { currentUserId, useSettings, useTasks, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { countLabels } from '../find/labels.ts';
import { HeldChoice } from '../holds/held-note.tsx';
import { ringAnyway } from '../holds/ring-anyway.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { useAsksBeforeBack } from '../ui/asks-before-back.ts';
import { Button } from '../ui/button.tsx';
import { DiscardOrKeep } from '../ui/discard-or-keep.tsx';
import { Field, Select, Switch } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SheetActions } from '../ui/sheet-actions.tsx';
import { Stepper } from '../ui/stepper.tsx';
import { canMoveOne, type EditFields, ruleProblem, toFields, toMove, toUpdate, withMovedRule } from './edit-fields.ts';
import { RepeatFields } from './repeat-fields.tsx';
import { RepeatPreview } from './repeat-preview.tsx';
import { changedFields, keepEdit, type UnsavedFields } from './unsaved-edit.tsx';

const MOST_LEAD_DAYS = 30;

interface TaskEditorProps {
  readonly task: Task;
  /** An edit that the service refused: the editor opens with the same input. */
  readonly refused?: TaskUpdate | undefined;
  /** What an earlier edit left behind. */
  readonly unsaved?: UnsavedFields | undefined;
  readonly onClose: () => void;
}

export function TaskEditor({ task, refused, unsaved, onClose }: TaskEditorProps) {
  const zone = useZone();
  const [before] = useState(() => toFields(task, zone));
  const [fields, setFields] = useState(() =>
    refused ? toFields({ ...task, ...refused } as Task, zone) : { ...before, ...unsaved },
  );
  const [problem, setProblem] = useState<string>();
  const [asked, setAsked] = useState<'discard' | 'which'>();
  const isOwner = useSettings()?.id === task.owner_id;
  const [ringsAt, setRingsAt] = useState<number>();
  const wall = fields.time === '' ? undefined : parseWallTime(fields.date, fields.time);
  const dueAt = wall && toInstant(wall, zone);
  const isTimeNew = fields.date !== before.date || fields.time !== before.time;
  const set = (change: Partial<EditFields>) => {
    setFields({ ...fields, ...change });
    setProblem(undefined);
  };
  const all = toUpdate(before, withMovedRule(before, fields), zone);
  const { due_at, has_time, recurrence } = all;
  const isChanged = Object.keys(all).length > 0;
  const end = () => {
    keepEdit(task.id, undefined);
    onClose();
  };
  const closeOrAsk = () => (isChanged ? setAsked(asked ? undefined : 'discard') : end());
  useAsksBeforeBack(closeOrAsk);
  useEffect(() => keepEdit(task.id, changedFields(before, fields)), [task.id, before, fields]);
  const save = async (onlyThis: boolean) => {
    const { move, rest } = toMove(task, before, fields, zone);
    const update = onlyThis ? rest : all;
    const userId = currentUserId();
    if (Object.keys(update).length > 0) await enqueueAction({ kind: 'edit', task, userId, body: update });
    if (onlyThis) await enqueueAction({ kind: 'move', task, userId, body: move });
    if (isChanged) showToast(strings.saved);
    if (dueAt !== undefined && dueAt === ringsAt) await ringAnyway(task, dueAt);
    return end();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fields.title.trim() === '') return setProblem(screenStrings.editor.titleMissing);
    const wrong = ruleProblem(withMovedRule(before, fields));
    if (wrong) return setProblem(screenStrings.editor.problems[wrong]);
    return canMoveOne(before, fields) ? setAsked('which') : save(false);
  };
  return (
    <Sheet title={TITLES[asked ?? 'edit']} onClose={closeOrAsk}>
      {asked === 'discard' && <DiscardOrKeep onKeep={() => setAsked(undefined)} onDiscard={end} />}
      {asked === 'which' && <ThisOrAll onChoose={save} onBack={() => setAsked(undefined)} />}
      <form hidden={asked !== undefined} noValidate onSubmit={submit} className="grid gap-5">
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
          {dueAt !== undefined && isTimeNew && dueAt > serviceNow() && isOwner && (
            <div className="col-span-2 empty:hidden">
              <HeldChoice
                at={dueAt}
                mustNotMiss={fields.mustNotMiss}
                isOnce={dueAt === ringsAt}
                onOnce={(isOnce) => setRingsAt(isOnce ? dueAt : undefined)}
                onAlways={() => set({ mustNotMiss: true })}
              />
            </div>
          )}
        </div>
        <RepeatFields
          rule={fields.rule}
          taskTime={fields.time}
          hasKept={before.rule === 'kept'}
          onChange={(rule) => set({ rule })}
        />
        {fields.rule !== null && fields.rule !== 'kept' && fields.date !== '' && (
          <RepeatPreview
            taskId={task.id}
            edit={{
              ...(due_at !== undefined && { due_at, has_time: has_time ?? task.has_time }),
              ...(recurrence !== undefined && { recurrence }),
            }}
            hasTime={fields.time !== ''}
            zone={zone}
          />
        )}
        <Stepper
          label={screenStrings.editor.lead}
          unit={screenStrings.editor.leadUnit(fields.lead === '' ? null : Number(fields.lead))}
          empty={screenStrings.editor.leadNone}
          min={0}
          max={MOST_LEAD_DAYS}
          value={fields.lead === '' ? null : Number(fields.lead)}
          onChange={(days) => set({ lead: String(days ?? '') })}
        />
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
        <SheetActions problem={problem}>
          <Button onClick={end}>{strings.cancel}</Button>
          <Button type="submit" variant="primary">
            {strings.save}
          </Button>
        </SheetActions>
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

const TITLES = {
  edit: screenStrings.editor.title,
  discard: screenStrings.editor.discardSure,
  which: screenStrings.editor.whichTitle,
};

interface ThisOrAllProps {
  readonly onChoose: (onlyThis: boolean) => void;
  readonly onBack: () => void;
}

function ThisOrAll({ onChoose, onBack }: ThisOrAllProps) {
  return (
    <div className="grid gap-4">
      <p className="text-soft">{screenStrings.editor.whichText}</p>
      <div className="grid gap-2 sm:grid-cols-2">
        <Button variant="primary" ref={focus} onClick={() => onChoose(true)}>
          {screenStrings.editor.onlyThis}
        </Button>
        <Button onClick={() => onChoose(false)}>{screenStrings.editor.allFromHere}</Button>
        <Button variant="plain" className="sm:col-span-2" onClick={onBack}>
          {screenStrings.editor.keepEditing}
        </Button>
      </div>
    </div>
  );
}

const focus = (button: HTMLButtonElement | null) => button?.focus();

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
