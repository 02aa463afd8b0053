/** Chooses the ladder of one task, and shows what each would do before it is chosen. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { LadderBook, LadderChoice, Task, TaskLadder } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SheetActions } from '../ui/sheet-actions.tsx';
import { formatLadder, type LadderShape, nameOfChoice } from './format-ladder.ts';
import type { EditedLadder } from './ladder-editor.tsx';
import { fromOption, toOption } from './ladder-options.tsx';
import { LadderPreview, usePreview } from './ladder-preview.tsx';
import { chooseForTask } from './ladder-queries.ts';
import { LadderSign } from './ladder-sign.tsx';
import { ladderStrings } from './ladder-strings.ts';

const { task: words } = ladderStrings;
/** The values of the two options that have no name. */
const [UNCHOSEN, UNNAMED] = ['unchosen', 'unnamed'];

interface ChooseLadderProps {
  readonly task: Task;
  readonly current: TaskLadder;
  readonly book: LadderBook;
  readonly onEdit: (ladder: EditedLadder) => void;
  readonly onClose: () => void;
}

export function ChooseLadder({ task, current, book, onEdit, onClose }: ChooseLadderProps) {
  const before = optionOf(current);
  const [value, setValue] = useState(before);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const choice = choiceOf(value, current);
  const shown = choice ?? decidedElsewhere(current, book);
  const preview = usePreview(task, shown, current);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (value === before) return onClose();
    setBusy(true);
    try {
      await chooseForTask(task.id, choice);
      showToast(choice ? words.chosen(nameOfChoice(choice, book) ?? ladderStrings.unnamed) : words.unchose);
      onClose();
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  const option = (one: string, name: string, ladder: LadderShape | undefined, action?: ReactNode) => (
    <Option
      key={one}
      name={name}
      ladder={ladder}
      isChosen={one === value}
      action={action}
      onChoose={() => {
        setValue(one);
        setProblem(undefined);
      }}
    />
  );
  return (
    <Sheet title={words.choose} onClose={onClose}>
      <form onSubmit={submit} className="grid min-w-0 gap-5">
        <fieldset className="grid min-w-0">
          <legend className="sr-only">{words.choose}</legend>
          {option(UNCHOSEN, unchosenName(task, current), findLadder(decidedElsewhere(current, book), book))}
          {before === UNNAMED && option(UNNAMED, ladderStrings.unnamed, current)}
          {book.ladders.map((own) =>
            option(
              own.id,
              own.name,
              own,
              <Button variant="plain" aria-label={ladderStrings.page.edit(own.name)} onClick={() => onEdit(own)}>
                {strings.detail.edit}
              </Button>,
            ),
          )}
          {book.presets.map((preset) => option(toOption(preset), ladderStrings.presets[preset.preset], preset))}
        </fieldset>
        <Button icon="plus" onClick={() => onEdit({ name: '', rungs: current.rungs, end: current.end })}>
          {words.make}
        </Button>
        <LadderPreview preview={preview} />
        <SheetActions problem={problem ?? preview.refusal}>
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button type="submit" variant="primary" busy={isBusy}>
            {words.use}
          </Button>
        </SheetActions>
      </form>
    </Sheet>
  );
}

const unchosenName = ({ kind }: Task, { counting_label }: TaskLadder): string =>
  counting_label === kind ? words.unchosen : words.unchosenBy(counting_label);

function optionOf({ from, preset, ladder_id }: TaskLadder): string {
  if (from !== 'task') return UNCHOSEN;
  if (ladder_id !== null) return ladder_id;
  return preset === null ? UNNAMED : toOption({ preset });
}

/** Undefined if the label or the account decides. */
function choiceOf(value: string, { rungs, end }: TaskLadder): LadderChoice | undefined {
  if (value === UNCHOSEN) return undefined;
  return value === UNNAMED ? { rungs, end } : fromOption(value);
}

/** The label may be another one than the task shows: somebody else's change of it changes no ladder. */
function decidedElsewhere({ counting_label }: TaskLadder, book: LadderBook): LadderChoice {
  const ofLabel = book.labels.find(({ label }) => label === counting_label)?.ladder;
  return ofLabel ?? book.default ?? { preset: 'default' };
}

function findLadder({ preset, ladder_id }: LadderChoice, { presets, ladders }: LadderBook): LadderShape | undefined {
  return preset === undefined
    ? ladders.find(({ id }) => id === ladder_id)
    : presets.find((one) => one.preset === preset);
}

interface OptionProps {
  readonly name: string;
  readonly ladder: LadderShape | undefined;
  readonly isChosen: boolean;
  readonly action: ReactNode;
  readonly onChoose: () => void;
}

const Option = ({ name, ladder, isChosen, action, onChoose }: OptionProps) => (
  <div className="flex items-center border-line border-t">
    <label className="flex min-h-11 min-w-0 grow items-center gap-3 py-2">
      <input type="radio" name="ladder" className="size-5 shrink-0" checked={isChosen} onChange={onChoose} />
      <span className="min-w-0 grow">
        <span className="flex items-center gap-3 font-medium">
          {name}
          {ladder && <LadderSign ladder={ladder} />}
        </span>
        {ladder && <span className="block text-sm text-soft">{formatLadder(ladder)}</span>}
      </span>
    </label>
    {action}
  </div>
);
