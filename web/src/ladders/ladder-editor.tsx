/** Makes or changes a ladder, and shows what it would do to a real task while it is changed. */
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import type { Task } from '../api/client.ts';
import { Problem, problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { useAsksBeforeBack } from '../ui/asks-before-back.ts';
import { Button } from '../ui/button.tsx';
import { DiscardOrKeep } from '../ui/discard-or-keep.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SheetActions } from '../ui/sheet-actions.tsx';
import { Stepper } from '../ui/stepper.tsx';
import type { LadderShape } from './format-ladder.ts';
import { findWrongPlace, type LadderFields, MOST_TIMES, toFields, toLadder } from './ladder-fields.ts';
import { LadderPreview, useNextTask, usePreview } from './ladder-preview.tsx';
import { chooseForTask, saveLadder } from './ladder-queries.ts';
import { LadderSign } from './ladder-sign.tsx';
import { ladderStrings } from './ladder-strings.ts';
import { Rungs } from './rungs.tsx';

const { editor: words } = ladderStrings;

/** What the editor begins with. A new ladder has no id. */
export interface EditedLadder extends LadderShape {
  readonly id?: string;
  readonly name: string;
}

interface LadderEditorProps {
  readonly start: EditedLadder;
  /** The task that it was opened from, which gets a new ladder. */
  readonly task?: Task;
  readonly onClose: () => void;
}

export function LadderEditor({ start, task, onClose }: LadderEditorProps) {
  const isNew = start.id === undefined;
  const [before] = useState(() => toFields(start.name, start));
  const [fields, setFields] = useState(before);
  const [id, setId] = useState(start.id);
  const [refused, setRefused] = useState<Problem>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const ladder = useMemo(() => toLadder(fields), [fields]);
  const next = useNextTask();
  const shown = task ?? next;
  const preview = usePreview(shown, ladder, ladder);
  const isChanged = JSON.stringify(fields) !== JSON.stringify(before);
  const closeOrAsk = () => (isChanged ? setAsking(!isAsking) : onClose());
  useAsksBeforeBack(closeOrAsk);
  useAsksBeforeReload(isChanged);
  const set = (change: Partial<LadderFields>) => {
    setFields({ ...fields, ...change });
    setRefused(undefined);
    setProblem(undefined);
  };
  const save = async () => {
    const name = fields.name.trim();
    if (name === '' && task) return chooseForTask(task.id, { rungs: [...ladder.rungs], end: ladder.end });
    const saved = await saveLadder(id, name, ladder);
    // A second attempt, if the task refuses it, changes the same ladder.
    setId(saved.id);
    return isNew && task && chooseForTask(task.id, { ladder_id: saved.id });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (fields.name.trim() === '' && !(task && isNew)) return setProblem(words.nameMissing);
    setBusy(true);
    try {
      await save();
      showToast(strings.saved);
      onClose();
    } catch (error) {
      if (error instanceof Problem && error.status === 422) setRefused(error);
      else setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const sentence = refused ? problemText(refused) : preview.refusal;
  const place = sentence && (refused ? placeOf(ladder, task) : placeOf(ladder, shown));
  return (
    <Sheet title={isAsking ? screenStrings.editor.discardSure : titleOf(start)} onClose={closeOrAsk} wide={!isAsking}>
      {isAsking && <DiscardOrKeep onKeep={() => setAsking(false)} onDiscard={onClose} />}
      <form hidden={isAsking} noValidate onSubmit={submit} className="grid min-w-0 gap-5">
        <Strip ladder={ladder} sentence={preview.sentence} />
        <div className="grid min-w-0 gap-5 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-7">
          <div className="grid min-w-0 gap-5">
            <Field
              label={words.name}
              hint={task && isNew ? words.nameOrNot : undefined}
              problem={problem === words.nameMissing ? problem : undefined}
              value={fields.name}
              maxLength={60}
              autoComplete="off"
              onChange={(event) => set({ name: event.target.value })}
            />
            <Rungs fields={fields} set={set} problem={sentence} place={place} />
            <End fields={fields} set={set} problem={place === 'end' ? sentence : undefined} />
          </div>
          <div className="min-w-0 lg:sticky lg:top-0 lg:self-start">
            <LadderPreview preview={preview} />
          </div>
        </div>
        <SheetActions problem={refused ? sentence : problem === words.nameMissing ? undefined : problem}>
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button type="submit" variant="primary" busy={isBusy}>
            {strings.save}
          </Button>
        </SheetActions>
      </form>
    </Sheet>
  );
}

/** On a narrow screen the drawing is below the rungs. This says while they change what they do. */
const Strip = ({ ladder, sentence }: { readonly ladder: LadderShape; readonly sentence: string }) => (
  <div
    aria-hidden="true"
    className="sticky -top-5 z-10 -mx-5 -mt-3 flex items-center gap-3 border-line border-b bg-card px-5 py-2 text-sm text-soft sm:-top-7 sm:-mx-7 sm:px-7 lg:hidden [@media(max-height:30rem)]:hidden"
  >
    <LadderSign ladder={ladder} />
    <span className="line-clamp-2 min-h-10">{sentence}</span>
  </div>
);

const titleOf = ({ id }: EditedLadder): string => (id === undefined ? words.newTitle : words.editTitle);

/** A ladder that is only defined may have waits that must-not-miss tasks alone can have. */
function placeOf(ladder: LadderShape, task: Task | undefined): number | 'end' {
  const strict = findWrongPlace(ladder, 5);
  if (task && !task.break_quiet_hours) return strict;
  const lenient = findWrongPlace(ladder, 1);
  return lenient === 'end' ? strict : lenient;
}

/** The router asks before Back; the browser asks before a reload. */
function useAsksBeforeReload(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}

interface EndProps {
  readonly fields: LadderFields;
  readonly set: (change: Partial<LadderFields>) => void;
  readonly problem: string | undefined;
}

const ENDS = ['forever', 'times', 'stop'] as const;

function End({ fields: { rungs, end, last, times }, set, problem }: EndProps) {
  return (
    <div className="grid min-w-0 gap-3">
      <Select
        label={words.end}
        value={end}
        onChange={(event) => set({ end: event.target.value as LadderFields['end'] })}
      >
        {ENDS.map((one) => (
          <option key={one} value={one}>
            {words.ends[one]}
          </option>
        ))}
      </Select>
      {end !== 'stop' && (
        <div className="grid gap-3 min-[26rem]:grid-cols-2">
          <Stepper
            label={words.last}
            value={Math.min(Number(last), rungs.length)}
            max={rungs.length}
            onChange={(count) => set({ last: String(count ?? 1) })}
          />
          {end === 'times' && (
            <Stepper
              label={words.times}
              value={Number(times)}
              max={MOST_TIMES}
              onChange={(count) => set({ times: String(count ?? 1) })}
            />
          )}
        </div>
      )}
      {problem && <p className="text-sm text-danger">{problem}</p>}
    </div>
  );
}
