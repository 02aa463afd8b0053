/** Search in the tasks that this browser has, so that it works offline too. */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Task } from '../api/client.ts';
import { useSpaces } from '../data/people.ts';
import { useTasks, useZone } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { isSnoozed } from '../time/due-moment.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { Sheet } from '../ui/sheet.tsx';
import { Label } from './label.tsx';
import { buildIndex, searchTasks } from './search-tasks.ts';

const { search: words } = screenStrings;
const SHOWN = 50;

export function SearchSheet({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const tasks = useTasks();
  const spaces = useSpaces().data;
  const index = useMemo(() => buildIndex(Object.values(tasks ?? {}), spaces ?? []), [tasks, spaces]);
  const { tasks: results, found } = useMemo(() => searchTasks(index, query, SHOWN), [index, query]);
  useEffect(() => input.current?.focus(), []);
  const open = (task: Task | undefined) => {
    if (!task) return;
    onClose();
    void navigate({ to: '/tasks/$taskId', params: { taskId: task.id } });
  };
  const move = (to: number) => {
    const next = Math.max(0, Math.min(to, results.length - 1));
    setActive(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      Enter: () => open(results[active]),
    };
    const action = event.nativeEvent.isComposing ? undefined : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <Sheet title={words.title} onClose={onClose}>
      <input
        ref={input}
        className="field"
        type="search"
        role="combobox"
        aria-label={words.label}
        aria-expanded={results.length > 0}
        aria-controls={`${id}-results`}
        aria-activedescendant={results.length > 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        placeholder={words.placeholder}
        value={query}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
      />
      <p role="status" className="my-2.5 px-1 text-sm text-soft">
        {query.trim() === '' ? words.hint : words.found(found, results.length)}
      </p>
      <div
        id={`${id}-results`}
        role="listbox"
        aria-label={words.results}
        // The height is the same for every query, so that the field does not move while a person types.
        className="h-[50dvh] overflow-y-auto"
      >
        {results.map((task, place) => (
          <Result
            key={task.id}
            id={`${id}-${place}`}
            task={task}
            isActive={place === active}
            space={spaces?.find((space) => space.id === task.space_id)?.name}
            onOpen={() => open(task)}
          />
        ))}
      </div>
    </Sheet>
  );
}

interface ResultProps {
  readonly id: string;
  readonly task: Task;
  readonly isActive: boolean;
  readonly space: string | undefined;
  readonly onOpen: () => void;
}

/** For a snoozed task, when it comes back: its due date has passed and says nothing any more. */
const whenOf = (task: Task, zone: string, now: number): string =>
  task.deferred_until !== null && isSnoozed(task, now)
    ? strings.task.snoozedUntil(formatMoment(task.deferred_until, zone, now))
    : formatDue(task, zone, now);

/** The focus stays in the field; the keys of the field move through the results. */
function Result({ id, task, isActive, space, onOpen }: ResultProps) {
  const zone = useZone();
  const statuses: Readonly<Record<string, string>> = strings.task.status;
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onClick={onOpen}
      onKeyDown={(event) => event.key === 'Enter' && onOpen()}
      className={`cursor-pointer rounded-xl px-3 py-2 ${isActive ? 'bg-sunk' : 'hover:bg-sunk'}`}
    >
      <p className="line-clamp-2 font-medium">{task.title}</p>
      <p className="flex flex-wrap gap-x-3 text-sm text-soft">
        <span>{task.status === 'open' ? whenOf(task, zone, Date.now()) : (statuses[task.status] ?? task.status)}</span>
        <Label kind={task.kind} />
        {space && <span>{space}</span>}
      </p>
    </div>
  );
}
