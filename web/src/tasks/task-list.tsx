/** A list under its heading. Few have so many tasks that it matters how they are drawn; for them the rest comes later. */
import { lazy, Suspense } from 'react';
import { keyOf } from '../data/deed-book.ts';
import { type TaskListProps, TaskRow } from './task-row.tsx';

const SHORT = 40;

const LongList = lazy(() => import('./long-list.tsx').then(({ LongList: loaded }) => ({ default: loaded })));

export function TaskList(props: TaskListProps) {
  if (props.tasks.length <= SHORT) return <ShortList {...props} />;
  return (
    <Suspense fallback={<ShortList {...props} tasks={props.tasks.slice(0, SHORT)} />}>
      <LongList {...props} />
    </Suspense>
  );
}

function ShortList({ tasks, label, isLate = false, ...row }: TaskListProps) {
  return (
    <ul aria-label={label} className="grid gap-2.5">
      {tasks.map((task) => (
        <li key={keyOf(task.id)}>
          <TaskRow task={task} isLate={isLate} {...row} />
        </li>
      ))}
    </ul>
  );
}
