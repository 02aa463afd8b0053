import type { ReactNode } from 'react';
import type { Task } from '../api/client.ts';
import { TaskLink } from '../ui/task-link.tsx';

interface TaskLineProps {
  readonly task: Pick<Task, 'id' | 'title'>;
  /** The text below the title. */
  readonly children: ReactNode;
}

export function TaskLine({ task, children }: TaskLineProps) {
  return (
    <li className="border-t border-line py-2.5 first:border-t-0 first:pt-0">
      <TaskLink taskId={task.id} className="font-medium">
        {task.title}
      </TaskLink>
      <p className="flex flex-wrap gap-x-3 text-sm text-soft">{children}</p>
    </li>
  );
}
