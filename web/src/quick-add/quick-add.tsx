/** One field for a task in plain words, with a preview of how it was parsed. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { TaskCreate } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { enqueueAction } from '../data/action-queue.ts';
import { newLocalId } from '../data/queued-action.ts';
import { currentUserId, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { strings } from '../strings.ts';
import { formatDay, formatMoment } from '../time/format.ts';
import { toInstant, toIsoString } from '../time/wall-time.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import type { ParsedPart, ParsedTask } from './parse-task.ts';

type Parse = typeof import('./parse-task.ts').parseTask;

/** The parser is larger than the rest of this screen, so it is loaded when the field gets the focus. */
const loadParse = () => import('./parse-task.ts').then(({ parseTask }) => parseTask);

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
  const [parse, setParse] = useState<Parse>();
  const load = () => void loadParse().then((loaded) => setParse(() => loaded));
  useFocusOnKey(input);

  const words = text.trim();
  const parsed = words && parse ? parse(words, Date.now(), zone, ignored) : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!words) return input.current?.focus();
    // Cleared before the first await, so that a fast typist can start the next task.
    setText('');
    setIgnored(new Set());
    input.current?.focus();
    const parseText = parse ?? (await loadParse());
    try {
      await save(parseText(words, Date.now(), zone, ignored), zone, fields);
    } catch (error) {
      setText(words);
      return showToast(problemText(error));
    }
    return onSaved?.();
  };
  return (
    <form onSubmit={submit} className="card mb-8 p-2 focus-within:border-strong-line">
      <div className="flex items-center gap-1">
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
            if (event.target.value === '') setIgnored(new Set());
          }}
          placeholder={strings.add.placeholder}
          autoComplete="off"
          maxLength={400}
          aria-describedby={`${id}-understood`}
          className="min-h-11 min-w-0 grow bg-transparent pr-2 text-lg outline-none placeholder:text-soft"
        />
        <Button type="submit" variant="primary" className={words ? 'px-4' : 'px-4 max-sm:hidden'} disabled={!words}>
          {saveLabel}
        </Button>
      </div>
      <div id={`${id}-understood`} aria-live="polite">
        {parsed && (
          <ParsedTaskPreview
            task={parsed}
            zone={zone}
            onIgnore={(part) => {
              setIgnored(new Set([...ignored, part]));
              input.current?.focus();
            }}
          />
        )}
      </div>
    </form>
  );
}

/** The key "n" focuses the field, unless the user is typing somewhere. */
function useFocusOnKey(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input,textarea,select,dialog');
      if (event.key !== 'n' || isTyping || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input]);
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

interface ParsedTaskPreviewProps {
  readonly task: ParsedTask;
  readonly zone: string;
  readonly onIgnore: (part: ParsedPart) => void;
}

function ParsedTaskPreview({ task, zone, onIgnore }: ParsedTaskPreviewProps) {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays } = task;
  const now = Date.now();
  const at = due && toInstant(due, zone);
  const when = at === null ? '' : hasTime ? formatMoment(at, zone, now) : formatDay(at, zone, now);
  const chips: readonly (readonly [part: ParsedPart, words: string])[] = [
    ...(recurrence ? [['recurrence', formatRecurrence(recurrence)] as const] : []),
    ...(when ? [['due', recurrence ? strings.add.first(when) : when] as const] : []),
    ...(leadDays === null ? [] : [['leadDays', strings.add.lead(leadDays)] as const]),
    ...(mustNotMiss ? [['mustNotMiss', strings.add.mustNotMiss] as const] : []),
    ...(once ? [['once', strings.add.once] as const] : []),
  ];
  return (
    <div className="px-3 pt-1.5 pb-2">
      <p className="text-sm text-soft">
        {strings.add.understood} <strong className="font-semibold text-ink">{title}</strong>
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {chips.map(([part, words]) => (
          <li
            key={part}
            data-part={part}
            className="inline-flex items-center rounded-full bg-ember-wash py-0.5 pr-0.5 pl-3 text-sm text-ink"
          >
            {words}
            {(part !== 'due' || !recurrence) && (
              <button
                type="button"
                aria-label={strings.add.notMeant(words)}
                onClick={() => onIgnore(part)}
                className="ml-0.5 grid size-7 place-items-center rounded-full hover:bg-card"
              >
                <Icon name="close" className="size-3.5" />
              </button>
            )}
            {part === 'due' && recurrence && <span className="h-7 w-2.5" />}
          </li>
        ))}
        {chips.length === 0 && <li className="text-sm text-soft">{strings.add.noDate}</li>}
      </ul>
    </div>
  );
}
