/** One field for a task in plain words, with a preview of how it was parsed. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { GuessKind } from '../../../src/words/guess.ts';
import type { ParsedPart, ParsedTask, ParseOptions } from '../../../src/words/parse-task.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { useSpaces } from '../data/people.ts';
import { useStore } from '../data/store.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { is24Hour, isDayFirst, setDayFirst } from '../time/date-customs.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { draft } from './draft.ts';
import type { Edits } from './edited-task.ts';
import { HeldRow } from './held-row.tsx';
import { useKeptText } from './kept-text.ts';
import { loadOnce, loadParser, type Parser } from './parser.ts';
import { enqueueTask, isOwn, isSilent, type PlaceOfTask, saveTask, withoutLadder } from './save-task.ts';

interface QuickAddProps {
  readonly fields?: PlaceOfTask;
  readonly saveLabel?: string;
  readonly onSaved?: () => void;
}

export function QuickAdd({ fields = {}, saveLabel = strings.add.save, onSaved }: QuickAddProps) {
  const id = useId();
  const zone = useZone();
  const dayStart = useSettings()?.day_start;
  const input = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [text, setText] = useState('');
  const [ignored, setIgnored] = useState<ReadonlySet<ParsedPart>>(new Set());
  const [edits, setEdits] = useState<Edits>({});
  const [choices, setChoices] = useState<ReadonlySet<GuessKind>>(new Set());
  const [dayFirst, swapDate] = useState(isDayFirst);
  const [asksAboutPast, askAboutPast] = useState(false);
  const [isMust, setMust] = useState(false);
  /** The moment that rings in spite of quiet hours and pauses. Another time in the words is another moment. */
  const [ringsAt, setRingsAt] = useState<number>();
  const [parser, setParser] = useState<Parser>();
  // Asked for when the field is used: the first load has no room for it.
  const spaces = useSpaces(parser !== undefined).data ?? [];
  /** If it fails, whoever presses Enter is told. */
  const load = () => void loadParser().then(setParser, () => undefined);
  useKeptText(['add', fields.space_id, fields.owner_id].join(' '), text, setText, load);
  const offered = useStore(draft);
  useEffect(() => {
    if (offered === undefined) return;
    draft.set(undefined);
    setText(offered);
    input.current?.focus();
  }, [offered]);

  const words = text.trim();
  const options: ParseOptions = {
    now: serviceNow(),
    zone,
    dayFirst,
    is24Hour: is24Hour(),
    ignored: withoutLadder(ignored, fields),
    choices,
    ...(dayStart && { dayStart }),
    // A task for another member stays in the space where they are.
    ...(!fields.space_id && { spaces }),
  };
  const lines = parser?.linesOf(words) ?? [];
  const isList = lines.length > 1;
  const tooLong = parser?.tooLong(isList ? lines : [words]);
  const understood = words && !isList && !tooLong ? parser?.parse(words, options, edits) : undefined;
  const parsed = isMust ? withMust(understood) : understood;
  const moved = parsed?.isPast ? parser?.movedAhead(parsed, options) : null;
  const clear = () => {
    setText('');
    setIgnored(new Set());
    setEdits({});
    setChoices(new Set());
    askAboutPast(false);
    setMust(false);
    setRingsAt(undefined);
  };
  const store = async (task: ParsedTask) => {
    // Cleared before the first await, so that a fast typist can start the next task.
    clear();
    input.current?.focus();
    try {
      await saveTask(task, zone, fields, ringsAt);
    } catch (error) {
      setText(words);
      setEdits(edits);
      setMust(isMust);
      setRingsAt(ringsAt);
      return showToast(problemText(error));
    }
    return onSaved?.();
  };
  const storeSeveral = async ({ parse, words: texts }: Parser) => {
    const tasks = lines.map((line) => parse(line, options, {}));
    clear();
    input.current?.focus();
    for (const [index, task] of tasks.entries())
      try {
        await enqueueTask(task, zone, fields);
      } catch (error) {
        // Those before it are stored.
        setText(lines.slice(index).join('\n'));
        return showToast(problemText(error));
      }
    const silent = tasks.filter((task) => isSilent(task, fields)).length;
    showToast(texts.addedSeveral(tasks.length, silent));
    return onSaved?.();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!words) return input.current?.focus();
    // Several lines are a question, which Enter does not answer.
    if (isList) return form.current?.querySelector<HTMLElement>('[data-lines] button')?.focus();
    if (tooLong) return undefined;
    const loaded = parser ?? (await loadOnce());
    const task = parsed ?? (loaded?.canParse(words) ? loaded.parse(words, options, edits) : undefined);
    if (!task) return setParser((known) => loaded ?? known);
    return task.isPast ? askAboutPast(true) : store(task);
  };
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <div className="@container mb-8">
      <form
        ref={form}
        onSubmit={submit}
        className="card flex flex-wrap items-center p-2 focus-within:border-strong-line"
      >
        <label htmlFor={id} className="grid size-11 shrink-0 place-items-center text-ember">
          <Icon name="plus" />
          <span className="sr-only">{strings.add.label}</span>
        </label>
        <textarea
          ref={input}
          rows={1}
          id={id}
          name="quick-add"
          value={text}
          onFocus={load}
          onChange={(event) => {
            setText(event.target.value);
            askAboutPast(false);
            if (event.target.value === '') clear();
          }}
          placeholder={strings.add.placeholder}
          autoComplete="off"
          enterKeyHint="done"
          onKeyDown={submitOnEnter}
          aria-keyshortcuts="n"
          aria-describedby={`${id}-understood`}
          className="field-sizing-content max-h-48 min-h-11 min-w-0 flex-1 resize-none bg-transparent px-1 py-2 text-lg outline-none placeholder:text-soft"
        />
        <Button type="submit" variant="primary" className={saveClass(words, isList)} disabled={!words}>
          {saveLabel}
        </Button>
        <div id={`${id}-understood`} aria-live="polite" className="w-full">
          {tooLong && <p className="px-3 pt-1.5 pb-2 text-sm text-danger">{tooLong}</p>}
          {parser && isList && !tooLong && (
            <parser.LinesQuestion
              count={lines.length}
              tasks={lines.slice(0, 5).map((line) => parser.parse(line, options, {}))}
              zone={zone}
              isOwn={isOwn(fields)}
              onSeveral={() => void storeSeveral(parser)}
              onOne={
                words.length > parser.MAX_NOTES ? undefined : () => void store(parser.oneWithNotes(words, options))
              }
            />
          )}
          {parser && parsed && (
            <parser.Understood
              task={parsed}
              zone={zone}
              isRule={(rule) => parser.isRule(rule, options)}
              onEdit={(changed) => setEdits({ ...edits, ...changed })}
              onSwapDate={() => {
                setDayFirst(!dayFirst);
                swapDate(!dayFirst);
              }}
              hasChosen={choices.size > 0}
              readOther={(kind) => parser.parse(words, { ...options, choices: toggled(choices, kind) }, edits)}
              onChoose={(kind) => {
                setChoices(kind === undefined ? new Set() : toggled(choices, kind));
                setEdits({});
                input.current?.focus();
              }}
              onIgnore={(part) => {
                if (part === 'mustNotMiss') setMust(false);
                setIgnored(new Set([...ignored, part]));
                setEdits({});
                input.current?.focus();
              }}
            />
          )}
          <HeldRow
            parsed={isOwn(fields) ? parsed : undefined}
            zone={zone}
            ringsAt={ringsAt}
            onRings={setRingsAt}
            onAlways={() => setMust(true)}
          />
        </div>
        {parser && asksAboutPast && parsed && moved && (
          <parser.PastQuestion
            moved={moved}
            hasTime={parsed.hasTime}
            zone={zone}
            onMove={() => store({ ...parsed, due: moved })}
            onKeep={() => store(parsed)}
          />
        )}
      </form>
    </div>
  );
}

const withMust = (parsed: ParsedTask | undefined): ParsedTask | undefined => parsed && { ...parsed, mustNotMiss: true };

/** Where there is little room it stands below what was understood, and the field has the whole width. */
function saveClass(words: string, isList: boolean): string {
  if (isList) return 'hidden!';
  return `px-4 @max-lg:order-1 @max-lg:w-full ${words ? '' : '@max-lg:hidden'}`;
}

function toggled(choices: ReadonlySet<GuessKind>, kind: GuessKind): ReadonlySet<GuessKind> {
  const changed = new Set(choices);
  if (!changed.delete(kind)) changed.add(kind);
  return changed;
}
