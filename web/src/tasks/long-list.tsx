/** Renders only the rows on the screen, so that a thousand tasks scroll like ten. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { stableTaskKey } from '../data/action-queue.ts';
import { type TaskListProps, TaskRow } from './task-row.tsx';
import { useListTop } from './use-list-top.ts';

const ROW_PX = 82;

export function LongList({ tasks, label, isLate = false, selected, ...row }: TaskListProps) {
  const list = useRef<HTMLUListElement>(null);
  const top = useListTop(list);
  const virtual = useWindowVirtualizer({
    count: tasks.length,
    estimateSize: () => ROW_PX,
    overscan: 4,
    // Measuring a row one frame later is not visible; flushing synchronously would slow down scrolling.
    useFlushSync: false,
    scrollMargin: top,
    getItemKey: (index) => stableTaskKey(tasks[index]?.id ?? String(index)),
  });
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const task = tasks[index];
        return (
          task && (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              aria-setsize={tasks.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0 pb-2.5"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <TaskRow task={task} isLate={isLate} isSelected={selected?.has(task.id)} {...row} />
            </li>
          )
        );
      })}
    </ul>
  );
}
