/** The requests that wait for the user's answer. */
import type { Task } from '../api/client.ts';
import { usePeople } from '../data/people.ts';
import { act } from '../data/task-actions.ts';
import { TaskCode } from '../ladder/task-code.tsx';
import { strings } from '../strings.ts';
import { formatDue } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { TaskLink } from '../ui/task-link.tsx';

interface RequestsProps {
  readonly tasks: readonly Task[];
  readonly zone: string;
  readonly now: number;
}

export function Requests({ tasks, zone, now }: RequestsProps) {
  const people = usePeople();
  if (tasks.length === 0) return null;
  return (
    <section aria-labelledby="requests" className="mb-8 rounded-3xl bg-ember-wash p-4 sm:p-5">
      <h2 id="requests" className="text-xl">
        {strings.today.requests}
      </h2>
      <p className="mt-1 mb-3 text-sm">{strings.today.requestsLead}</p>
      <ul className="grid gap-2.5">
        {tasks.map((task) => (
          <li key={task.id} className="card flex flex-wrap items-center justify-between gap-3 p-4">
            <div className="min-w-0">
              <TaskLink taskId={task.id} className="font-medium">
                {task.title}
              </TaskLink>
              <p className="text-sm text-soft">
                {strings.today.from(people.get(task.assigner_id ?? '') ?? strings.today.someone)} ·{' '}
                {formatDue(task, zone, now)} <TaskCode taskId={task.id} />
              </p>
            </div>
            <div className="flex gap-2">
              <Button
                variant="plain"
                aria-label={strings.task.declineNamed(task.title)}
                onClick={() => act('decline', task)}
              >
                {strings.task.decline}
              </Button>
              <Button
                variant="primary"
                icon="done"
                aria-label={strings.task.acceptNamed(task.title)}
                onClick={() => act('accept', task)}
              >
                {strings.task.accept}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
