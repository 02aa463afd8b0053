/** One field for plain words, and what was understood of them, before anything is saved. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Task, TaskCreate } from '../api/client.ts';
import { currentUserId } from '../data/actions.ts';
import { doDeed } from '../data/deed-book.ts';
import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { dayWords, momentWords } from '../time/words.ts';
import { instantOf, isoOf } from '../time/zone.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { say } from '../ui/toast.tsx';
import type { Part, Understood } from './parse-words.ts';
import { recurrenceWords } from './recurrence-words.ts';

type Parse = typeof import('./parse-words.ts').parseWords;

/** The reader of words is larger than the rest of this screen, so it comes when somebody begins to write. */
const loadParse = () => import('./parse-words.ts').then(({ parseWords }) => parseWords);

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
  const [ignored, setIgnored] = useState<ReadonlySet<Part>>(new Set());
  const [parse, setParse] = useState<Parse>();
  const load = () => void loadParse().then((loaded) => setParse(() => loaded));
  useFocusOnKey(input);

  const words = text.trim();
  const understood = words && parse ? parse(words, Date.now(), zone, ignored) : undefined;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!words) return input.current?.focus();
    // Cleared before anything is waited for: whoever writes fast has begun the next one already.
    setText('');
    setIgnored(new Set());
    input.current?.focus();
    const read = parse ?? (await loadParse());
    await save(read(words, Date.now(), zone, ignored), zone, fields);
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
        <Button type="submit" look="primary" className={words ? 'px-4' : 'px-4 max-sm:hidden'} disabled={!words}>
          {saveLabel}
        </Button>
      </div>
      <div id={`${id}-understood`} aria-live="polite">
        {understood && (
          <UnderstoodWords
            understood={understood}
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

/** "n" anywhere on the screen begins a new task, unless somebody is writing. */
function useFocusOnKey(input: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof HTMLElement && event.target.closest('input,textarea,select,dialog');
      if (event.key !== 'n' || isWriting || event.metaKey || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input]);
}

async function save(understood: Understood, zone: string, fields: QuickAddProps['fields']): Promise<void> {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays } = understood;
  const body: TaskCreate = {
    title,
    ...fields,
    ...(due && { due_at: isoOf(due, zone), has_time: hasTime }),
    ...(recurrence && { recurrence: { ...recurrence } }),
    ...(leadDays !== null && { lead_time_days: leadDays }),
    ...(mustNotMiss && { break_quiet_hours: true }),
    ...(once && { mode: 'notify_once' }),
  };
  const task: Pick<Task, 'id' | 'title'> = { id: `local-${crypto.randomUUID()}`, title };
  await doDeed({ kind: 'create', task, userId: currentUserId(), body });
  say(strings.task.did.create(title));
}

interface UnderstoodWordsProps {
  readonly understood: Understood;
  readonly zone: string;
  readonly onIgnore: (part: Part) => void;
}

function UnderstoodWords({ understood, zone, onIgnore }: UnderstoodWordsProps) {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays } = understood;
  const now = Date.now();
  const at = due && instantOf(due, zone);
  const when = at === null ? '' : hasTime ? momentWords(at, zone, now) : dayWords(at, zone, now);
  const chips: readonly (readonly [part: Part, words: string])[] = [
    ...(recurrence ? [['recurrence', recurrenceWords(recurrence)] as const] : []),
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
