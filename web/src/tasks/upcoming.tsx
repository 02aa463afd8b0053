/** What is to come, day by day: tasks, the later dates of those that repeat, and what is snoozed until then. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { AgendaEntry } from '../api/client.ts';
import { stableTaskKey } from '../data/action-queue.ts';
import { useLaterDates } from '../data/agenda.ts';
import { BLOCK_DAYS, blocksFor, MOST_BLOCKS } from '../data/agenda-blocks.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDay, formatPlainDate, formatTime } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { EmptyState } from '../ui/page.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import { formatHeading } from './format-heading.ts';
import { type TaskListProps, TaskRow } from './task-row.tsx';
import { type DaysProps, TaskScreen } from './task-screen.tsx';
import { firstRowFrom, isoDayAfter, seriesOf, type UpcomingRow, upcomingRows, versionOf } from './upcoming-days.ts';
import { useListTop } from './use-list-top.ts';

const { upcoming: words } = screenStrings;

export const Upcoming = () => (
  <TaskScreen
    list="upcoming"
    lead={strings.lists.upcomingLead}
    empty={{ title: strings.lists.empty.upcoming, lead: strings.lists.emptyLead.upcoming }}
    Days={Days}
  />
);

function Days({ tasks, matching, emptyTitle, emptyLead, ...row }: DaysProps) {
  const { now, zone } = row;
  const [blocks, setBlocks] = useState(1);
  const [wanted, setWanted] = useState<string>();
  const repeating = useMemo(() => seriesOf(matching), [matching]);
  const firstDay = isoDayAfter(now, zone, 1);
  const later = useLaterDates(firstDay, blocks, versionOf(repeating));
  const rows = useMemo(
    () => upcomingRows(tasks, later.entries, repeating, now, zone),
    [tasks, later.entries, repeating, now, zone],
  );
  const lastDay = isoDayAfter(now, zone, blocks * BLOCK_DAYS);
  const jump = (day: string) => {
    setBlocks(blocksFor(day, firstDay, blocks));
    setWanted(day);
  };
  const horizon = repeating.size > 0 && (
    <Horizon
      lastDay={lastDay}
      isCut={later.isCut}
      isLoading={later.isLoading}
      onMore={blocks < MOST_BLOCKS ? () => setBlocks(blocks + 1) : undefined}
    />
  );
  return (
    <>
      <Jump firstDay={firstDay} onJump={jump} />
      {later.isUnknown && repeating.size > 0 && (
        <div className="mb-5">
          <Note>{words.unknown}</Note>
        </div>
      )}
      <Rows
        rows={rows}
        horizonAt={firstRowFrom(rows, isoDayAfter(now, zone, blocks * BLOCK_DAYS + 1), zone)}
        horizon={horizon}
        wanted={later.isLoading ? undefined : wanted}
        onReached={() => setWanted(undefined)}
        {...row}
      />
      {rows.length === 0 && !later.isLoading && <EmptyState title={emptyTitle}>{emptyLead}</EmptyState>}
    </>
  );
}

interface JumpProps {
  readonly firstDay: string;
  readonly onJump: (day: string) => void;
}

/** Jumps when it is sent: a date that is being typed passes through years that nobody means. */
function Jump({ firstDay, onJump }: JumpProps) {
  const [day, setDay] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (day !== '') onJump(day);
  };
  return (
    <form onSubmit={submit} className="mb-6 flex flex-wrap items-center gap-2">
      <label htmlFor="jump" className="text-sm font-semibold">
        {words.jump}
      </label>
      <input
        id="jump"
        type="date"
        className="field w-auto! min-w-0"
        min={firstDay}
        max="9999-12-30"
        required
        value={day}
        onChange={(event) => setDay(event.target.value)}
      />
      <Button type="submit">{words.go}</Button>
    </form>
  );
}

interface HorizonProps {
  readonly lastDay: string;
  readonly isCut: boolean;
  readonly isLoading: boolean;
  /** Undefined at the last day that the service computes. */
  readonly onMore: (() => void) | undefined;
}

const Horizon = ({ lastDay, isCut, isLoading, onMore }: HorizonProps) => (
  <div className="mb-6 flex flex-wrap items-center gap-3 border-y border-line py-3 text-sm text-soft">
    <p className="grow">{isCut ? words.cut(formatPlainDate(lastDay)) : words.horizon(formatPlainDate(lastDay))}</p>
    {onMore && (
      <Button busy={isLoading} onClick={onMore}>
        {words.more}
      </Button>
    )}
  </div>
);

interface RowsProps extends Omit<TaskListProps, 'tasks' | 'label'> {
  readonly rows: readonly UpcomingRow[];
  /** The first row after the last day with dates of repeating tasks. */
  readonly horizonAt: number | undefined;
  readonly horizon: React.ReactNode;
  /** The day to go to, once it is loaded. */
  readonly wanted: string | undefined;
  readonly onReached: () => void;
}

const ROW_PX = 82;
const HEADING_PX = 64;
/** Left free above the row that a jump reaches. */
const ABOVE_PX = 16;

/** Renders only the rows on the screen, so that a thousand tasks scroll like ten. */
function Rows({ rows, horizonAt, horizon, wanted, onReached, selected, ...row }: RowsProps) {
  const { zone, now } = row;
  const list = useRef<HTMLUListElement>(null);
  const top = useListTop(list);
  const [said, say] = useState('');
  const keyOf = (one: UpcomingRow) => ('task' in one ? stableTaskKey(one.key) : one.key);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => ROW_PX + (rows[index]?.heading ? HEADING_PX : 0),
    overscan: 4,
    useFlushSync: false,
    scrollMargin: top,
    scrollPaddingStart: ABOVE_PX,
    getItemKey: (index) => (rows[index] ? keyOf(rows[index]) : index),
  });
  useEffect(() => {
    if (wanted === undefined) return;
    onReached();
    const index = firstRowFrom(rows, wanted, zone);
    const found = index === undefined ? undefined : rows[index];
    say(found ? words.reached(formatHeading(found.at, zone, now, 'day')) : words.nothingAfter(formatPlainDate(wanted)));
    if (index === undefined) return;
    virtual.scrollToIndex(index, { align: 'start' });
    focusWhenDrawn(list.current, index);
  }, [wanted, rows, zone, now, onReached, virtual]);
  return (
    <>
      <p role="status" className={said === '' ? 'sr-only' : 'mb-4 text-sm text-soft'}>
        {said}
      </p>
      <ul ref={list} aria-label={words.list} className="relative mb-6" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const one = rows[index];
          if (!one) return null;
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0 scroll-mt-4 pb-2.5"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {index === horizonAt && horizon}
              {one.heading && (
                <h2 className="pt-4 pb-3 text-xl">{formatHeading(one.heading.at, zone, now, one.heading.kind)}</h2>
              )}
              {'task' in one ? (
                <TaskRow task={one.task} isLate={false} isSelected={selected?.has(one.task.id)} {...row} />
              ) : (
                <OccurrenceRow occurrence={one.occurrence} zone={zone} now={now} />
              )}
            </li>
          );
        })}
      </ul>
      {horizonAt === undefined && horizon}
    </>
  );
}

/** Rows far away are drawn some frames after the page has scrolled there. */
function focusWhenDrawn(list: HTMLElement | null, index: number, tries = 30): void {
  const link = list?.querySelector<HTMLElement>(`[data-index="${index}"] a`);
  if (link) link.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(list, index, tries - 1));
}

interface OccurrenceRowProps {
  readonly occurrence: AgendaEntry;
  readonly zone: string;
  readonly now: number;
}

/** A later date has no buttons: what is done or snoozed is the present one. */
const OccurrenceRow = ({ occurrence, zone, now }: OccurrenceRowProps) => (
  <div className="flex items-center gap-1 rounded-card border border-dashed border-strong-line py-1.5 pr-1.5 pl-1.5">
    <span className="grid size-12 shrink-0 place-items-center text-soft">
      <Icon name="repeat" className="size-4.5" />
    </span>
    <div className="min-w-0 grow py-1.5">
      <TaskLink taskId={occurrence.task_id} className="line-clamp-2 leading-snug font-medium">
        {occurrence.title}
      </TaskLink>
      <p className="mt-0.5 text-sm text-soft">
        {occurrence.time === null
          ? formatDay(occurrence.at, zone, now)
          : strings.time.dayAt(formatDay(occurrence.at, zone, now), formatTime(occurrence.at, zone))}
        {` · ${occurrence.has_more ? words.moreThatDay : words.again}`}
      </p>
    </div>
  </div>
);
