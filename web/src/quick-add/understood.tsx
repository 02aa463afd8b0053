/** How a task was understood, part by part. Each part can be changed in place, or rejected. */
import { useState } from 'react';
import type { WordsLadder } from '../../../src/words/find-ladder.ts';
import type { GuessKind } from '../../../src/words/guess.ts';
import type { ParsedPart, ParsedTask } from '../../../src/words/parse-task.ts';
import { formatIsoDate, formatIsoTime, toInstant, type WallTime } from '../../../src/words/wall-time.ts';
import { serviceNow } from '../api/service-clock.ts';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDay, formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import type { Edits } from './edited-task.ts';
import { Guesses } from './guesses.tsx';

type EditablePart = keyof Edits;
const isEditable = (part: ParsedPart): part is EditablePart => part === 'due' || part === 'recurrence';

interface UnderstoodProps {
  readonly task: ParsedTask;
  readonly zone: string;
  readonly onIgnore: (part: ParsedPart) => void;
  readonly onEdit: (edits: Edits) => void;
  readonly isRule: (words: string) => boolean;
  /** Reads 3/12 the other way round from now on. */
  readonly onSwapDate: () => void;
  readonly hasChosen: boolean;
  /** The same words with the other reading of a guess. */
  readonly readOther: (kind: GuessKind) => ParsedTask;
  /** Undefined to take every guess as before. */
  readonly onChoose: (kind: GuessKind | undefined) => void;
}

export function Understood({
  task,
  zone,
  onIgnore,
  onEdit,
  isRule,
  onSwapDate,
  hasChosen,
  readOther,
  onChoose,
}: UnderstoodProps) {
  const [editing, setEditing] = useState<EditablePart>();
  const chips = chipsOf(task, zone);
  const toggle = (part: EditablePart) => setEditing(editing === part ? undefined : part);
  return (
    <div className="px-3 pt-1.5 pb-2">
      <p className="text-sm text-soft">
        {strings.add.understood} <strong className="font-semibold text-ink">{task.title}</strong>
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {chips.map(([part, words]) => (
          <li
            key={part}
            data-part={part}
            className="inline-flex items-center rounded-2xl bg-ember-wash py-0.5 pr-0.5 pl-3 text-sm text-ink"
          >
            {isEditable(part) ? (
              <button
                type="button"
                aria-expanded={editing === part}
                onClick={() => toggle(part)}
                className="min-h-7 text-left underline decoration-dotted underline-offset-4"
              >
                {words}
              </button>
            ) : (
              <span className="min-w-0 break-words">{words}</span>
            )}
            {task.guesses.some((guess) => guess.part === part && guess.kind !== 'name') && (
              <span className="ml-1.5 text-xs text-soft">{screenStrings.quickAdd.guess}</span>
            )}
            {canReject(part, task) && (
              <button
                type="button"
                aria-label={strings.add.notMeant(words)}
                onClick={() => onIgnore(part)}
                className="ml-0.5 grid size-7 place-items-center rounded-full hover:bg-card"
              >
                <Icon name="close" className="size-3.5" />
              </button>
            )}
            {!canReject(part, task) && <span className="h-7 w-2.5" />}
          </li>
        ))}
        {task.due === null && <li className="self-center text-sm text-soft">{strings.add.noDate}</li>}
      </ul>
      {task.isLong && <p className="mt-2 text-sm text-soft">{screenStrings.quickAdd.long}</p>}
      {task.unknownSpace !== null && (
        <p className="mt-2 text-sm text-soft">{screenStrings.quickAdd.unknownSpace(task.unknownSpace)}</p>
      )}
      <Guesses
        task={task}
        hasChosen={hasChosen}
        inWords={(one) => readingInWords(one, zone)}
        readOther={readOther}
        onChoose={onChoose}
      />
      {task.guesses.some(({ kind }) => kind === 'order') && (
        <button type="button" onClick={onSwapDate} className="mt-2 min-h-7 text-sm text-soft underline">
          {strings.add.swapDate}
        </button>
      )}
      {editing === 'due' && task.due && <EditDue due={task.due} hasTime={task.hasTime} onEdit={onEdit} />}
      {editing === 'recurrence' && task.recurrence && (
        <EditRule words={formatRecurrence(task.recurrence)} onEdit={onEdit} isRule={isRule} />
      )}
    </div>
  );
}

function chipsOf(task: ParsedTask, zone: string): readonly (readonly [part: ParsedPart, words: string])[] {
  const { recurrence, mustNotMiss, once, leadDays, ladder, label, space, notes } = task;
  const when = task.due ? formatWhen(task.due, task.hasTime, zone) : '';
  return [
    ...(recurrence ? [['recurrence', formatRecurrence(recurrence)] as const] : []),
    ...(when ? [['due', recurrence ? strings.add.first(when) : when] as const] : []),
    ...(leadDays === null ? [] : [['leadDays', strings.add.lead(leadDays)] as const]),
    ...(mustNotMiss ? [['mustNotMiss', strings.add.mustNotMiss] as const] : []),
    ...(once ? [['once', strings.add.once] as const] : []),
    ...(ladder ? [['ladder', ladderInWords(ladder)] as const] : []),
    ...(label === null ? [] : [['label', screenStrings.quickAdd.label(label)] as const]),
    ...(space === null ? [] : [['space', screenStrings.quickAdd.space(space.name)] as const]),
    ...(notes === null ? [] : [['notes', screenStrings.quickAdd.notes(shorten(notes))] as const]),
  ];
}

const SHOWN_NOTES = 40;
const shorten = (text: string): string =>
  text.length > SHOWN_NOTES ? `${text.slice(0, SHOWN_NOTES).trimEnd()}…` : text;

/** The first moment of a series follows from its rule, and a long title needs the notes. */
const canReject = (part: ParsedPart, task: ParsedTask): boolean =>
  !(part === 'due' && task.recurrence) && !(part === 'notes' && task.isLong);

function ladderInWords({ choice, every }: WordsLadder): string {
  const { presets, wait } = screenStrings.quickAdd.ladder;
  if ('preset' in choice) return presets[choice.preset];
  const last = choice.rungs.at(-1)?.after ?? 0;
  return wait(every ?? last, last);
}

/** The schedule, and how the task insists. */
export function readingInWords(task: ParsedTask, zone: string): string {
  const must = task.mustNotMiss && task.ladder ? `, ${strings.add.mustNotMiss}` : '';
  return `${scheduleInWords(task, zone)}${task.ladder ? `, ${ladderInWords(task.ladder)}` : ''}${must}`;
}

/** "every Monday, first Mon 9 Mar at 18:00". */
function scheduleInWords({ due, hasTime, recurrence }: ParsedTask, zone: string): string {
  if (!due) return screenStrings.quickAdd.noDate;
  const when = formatWhen(due, hasTime, zone);
  return recurrence ? `${formatRecurrence(recurrence)}, ${strings.add.first(when)}` : when;
}

function formatWhen(due: WallTime, hasTime: boolean, zone: string): string {
  const at = toInstant(due, zone);
  return hasTime ? formatMoment(at, zone, serviceNow()) : formatDay(at, zone, serviceNow());
}

interface EditDueProps extends Pick<ParsedTask, 'hasTime'> {
  readonly due: WallTime;
  readonly onEdit: (edits: Edits) => void;
}

function EditDue({ due, hasTime, onEdit }: EditDueProps) {
  const [date, time] = [formatIsoDate(due), hasTime ? formatIsoTime(due) : ''];
  return (
    <div className="mt-3 grid grid-cols-2 gap-3">
      <Field
        label={strings.add.date}
        type="date"
        value={date}
        required
        onChange={(event) => event.target.value && onEdit({ due: { date: event.target.value, time } })}
      />
      <Field
        label={strings.add.time}
        type="time"
        value={time}
        onChange={(event) => onEdit({ due: { date, time: event.target.value } })}
      />
    </div>
  );
}

interface EditRuleProps extends Pick<UnderstoodProps, 'onEdit' | 'isRule'> {
  readonly words: string;
}

function EditRule({ words, onEdit, isRule }: EditRuleProps) {
  const [text, setText] = useState(words);
  const isKnown = isRule(text);
  return (
    <Field
      className="mt-3"
      label={strings.add.repeats}
      hint={strings.add.repeatsHint}
      problem={isKnown ? undefined : strings.add.noRule}
      value={text}
      maxLength={200}
      onChange={(event) => {
        setText(event.target.value);
        if (isRule(event.target.value)) onEdit({ recurrence: event.target.value });
      }}
    />
  );
}

interface PastQuestionProps {
  readonly moved: WallTime;
  readonly hasTime: boolean;
  readonly zone: string;
  readonly onMove: () => void;
  readonly onKeep: () => void;
}

/** Asked before a task is saved whose moment has passed. */
export function PastQuestion({ moved, hasTime, zone, onMove, onKeep }: PastQuestionProps) {
  return (
    <div role="alert" className="flex w-full flex-wrap items-center gap-2 px-3 pb-2 @max-lg:order-1 @max-lg:pt-2">
      <p className="grow text-sm">{strings.add.past}</p>
      <Button variant="primary" onClick={onMove}>
        {strings.add.moveTo(formatWhen(moved, hasTime, zone))}
      </Button>
      <Button onClick={onKeep}>{strings.add.keepPast}</Button>
    </div>
  );
}
