/** The tasks under one heading. The virtualised list is loaded only for the few users who need it. */
import { lazy, Suspense } from 'react';
import { stableTaskKey } from '../data/action-queue.ts';
import { type TaskListProps, TaskRow } from './task-row.tsx';

const MAX_SHORT = 40;

const LongList = lazy(() => import('./long-list.tsx').then(({ LongList: loaded }) => ({ default: loaded })));

export function TaskList(props: TaskListProps) {
  if (props.tasks.length <= MAX_SHORT) return <ShortList {...props} />;
  return (
    <Suspense fallback={<ShortList {...props} tasks={props.tasks.slice(0, MAX_SHORT)} />}>
      <LongList {...props} />
    </Suspense>
  );
}

function ShortList({ tasks, label, isLate = false, selected, ...row }: TaskListProps) {
  return (
    <ul aria-label={label} className="grid gap-2.5">
      {tasks.map((task) => (
        <li key={stableTaskKey(task.id)}>
          <TaskRow task={task} isLate={isLate} isSelected={selected?.has(task.id)} {...row} />
        </li>
      ))}
    </ul>
  );
}
