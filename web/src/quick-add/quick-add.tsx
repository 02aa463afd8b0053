/** One field for a task in plain words, with a preview of how it was parsed. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { ParsedPart, ParsedTask, ParseOptions } from '../../../src/words/parse-task.ts';
import { toIsoString } from '../../../src/words/wall-time.ts';
import type { TaskCreate } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { enqueueAction } from '../data/action-queue.ts';
import { newLocalId } from '../data/queued-action.ts';
import { useStore } from '../data/store.ts';
import { currentUserId, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { is24Hour, isDayFirst, setDayFirst } from './date-order.ts';
import { draft } from './draft.ts';
import type { Edits } from './edited-task.ts';
import { PastQuestion, Understood } from './understood.tsx';

/** The parser is larger than the rest of this screen, so it is loaded when the field gets the focus. */
async function loadParser() {
  const [{ parseTask }, { applyEdits, isRule, movedAhead }] = await Promise.all([
    import('../../../src/words/parse-task.ts'),
    import('./edited-task.ts'),
  ]);
  const parse = (text: string, options: ParseOptions, edits: Edits) =>
    applyEdits(parseTask(text, options), edits, options);
  return { parse, isRule, movedAhead };
}

type Parser = Awaited<ReturnType<typeof loadParser>>;

interface QuickAddProps {
  readonly fields?: Pick<TaskCreate, 'space_id' | 'owner_id'>;
  readonly saveLabel?: string;
  readonly onSaved?: () => void;
}

export function QuickAdd({ fields = {}, saveLabel = strings.add.save, onSaved }: QuickAddProps) {
  const id = useId();
  const zone = useZone();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [ignored, setIgnored] = useState<ReadonlySet<ParsedPart>>(new Set());
  const [edits, setEdits] = useState<Edits>({});
  const [dayFirst, swapDate] = useState(isDayFirst);
  const [asksAboutPast, askAboutPast] = useState(false);
  const [parser, setParser] = useState<Parser>();
  const load = () => void loadParser().then(setParser);
  const offered = useStore(draft);
  useEffect(() => {
    if (offered === undefined) return;
    draft.set(undefined);
    setText(offered);
    input.current?.focus();
  }, [offered]);

  const words = text.trim();
  const options: ParseOptions = { now: serviceNow(), zone, dayFirst, is24Hour: is24Hour(), ignored };
  const parsed = words && parser ? parser.parse(words, options, edits) : undefined;
  const moved = parsed?.isPast && parser ? parser.movedAhead(parsed, options) : null;
  const clear = () => {
    setText('');
    setIgnored(new Set());
    setEdits({});
    askAboutPast(false);
  };
  const store = async (task: ParsedTask) => {
    // Cleared before the first await, so that a fast typist can start the next task.
    clear();
    input.current?.focus();
    try {
      await save(task, zone, fields);
    } catch (error) {
      setText(words);
      setEdits(edits);
      return showToast(problemText(error));
    }
    return onSaved?.();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!words) return input.current?.focus();
    const task = parsed ?? (await loadParser()).parse(words, options, edits);
    return task.isPast ? askAboutPast(true) : store(task);
  };
  return (
    <div className="@container mb-8">
      <form onSubmit={submit} className="card flex flex-wrap items-center p-2 focus-within:border-strong-line">
        <label htmlFor={id} className="grid size-11 shrink-0 place-items-center text-ember">
          <Icon name="plus" />
          <span className="sr-only">{strings.add.label}</span>
        </label>
        <input
          ref={input}
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
          maxLength={400}
          aria-keyshortcuts="n"
          aria-describedby={`${id}-understood`}
          className="min-h-11 min-w-0 flex-1 bg-transparent px-1 text-lg outline-none placeholder:text-soft"
        />
        <Button
          type="submit"
          variant="primary"
          // Where there is little room it stands below what was understood, and the field has the whole width.
          className={`px-4 @max-lg:order-1 @max-lg:w-full ${words ? '' : '@max-lg:hidden'}`}
          disabled={!words}
        >
          {saveLabel}
        </Button>
        <div id={`${id}-understood`} aria-live="polite" className="w-full">
          {parsed && (
            <Understood
              task={parsed}
              zone={zone}
              isRule={(rule) => parser?.isRule(rule, options) ?? false}
              onEdit={(changed) => setEdits({ ...edits, ...changed })}
              onSwapDate={() => {
                setDayFirst(!dayFirst);
                swapDate(!dayFirst);
              }}
              onIgnore={(part) => {
                setIgnored(new Set([...ignored, part]));
                setEdits({});
                input.current?.focus();
              }}
            />
          )}
        </div>
        {asksAboutPast && parsed && moved && (
          <PastQuestion
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

async function save(parsed: ParsedTask, zone: string, fields: QuickAddProps['fields']): Promise<void> {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays } = parsed;
  const body: TaskCreate = {
    title,
    ...fields,
    ...(due && { due_at: toIsoString(due, zone), has_time: hasTime }),
    ...(recurrence && { recurrence: { ...recurrence } }),
    ...(leadDays !== null && { lead_time_days: leadDays }),
    ...(mustNotMiss && { break_quiet_hours: true }),
    ...(once && { mode: 'notify_once' }),
  };
  await enqueueAction({ kind: 'create', task: { id: newLocalId(), title }, userId: currentUserId(), body });
  showToast(strings.task.confirmation.create(title));
}
