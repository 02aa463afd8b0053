/** On Today: who asks the signed-in person to stand in, and the tasks of others that have reached them. */
import { Link } from '@tanstack/react-router';
import type { ReachedTask } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Questions } from './questions.tsx';
import { factsOf, useComplete } from './reached-task.tsx';
import { useStandingIn } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { page: words } = standInStrings;
/** More of them are on their own page. */
const MOST_SHOWN = 5;

export function StandInsCard() {
  const { questions, open } = useStandingIn();
  if (questions.length + open.length === 0) return null;
  return (
    <section aria-labelledby="stand-ins" className="mb-8 rounded-3xl bg-ember-wash p-4 sm:p-5">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 id="stand-ins" className="text-xl">
          {open.length > 0 ? standInStrings.title : standInStrings.question.title}
        </h2>
        {open.length > 0 && (
          <Link to="/stand-ins" className="inline-flex min-h-8 items-center text-sm underline underline-offset-4">
            {words.showAll}
          </Link>
        )}
      </div>
      <div className="grid gap-2.5">
        <Questions questions={questions} />
        <ul className="grid gap-2.5 empty:hidden">
          {open.slice(0, MOST_SHOWN).map((task) => (
            <Reached key={task.task_id} task={task} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Reached({ task }: { readonly task: ReachedTask }) {
  const zone = useZone();
  const now = useNow();
  const complete = useComplete();
  return (
    <li className="card flex flex-wrap items-center justify-between gap-3 p-4">
      <div className="min-w-0 grow basis-52">
        <Link
          to="/stand-ins/$taskId"
          params={{ taskId: task.task_id }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {task.title}
        </Link>
        <p className="text-sm text-soft">{factsOf(task, zone, now)}</p>
      </div>
      <Button
        variant="good"
        icon="done"
        busy={complete.isPending}
        aria-label={strings.task.doneNamed(task.title)}
        onClick={() => complete.mutate(task)}
      >
        {strings.task.done}
      </Button>
    </li>
  );
}
