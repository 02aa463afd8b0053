/** Who asks the signed-in person to stand in, with the buttons for the answer. */
import { useState } from 'react';
import type { StandIn } from '../api/client.ts';
import { nameOf } from '../data/people.ts';
import { showToast } from '../data/toast.ts';
import { Button } from '../ui/button.tsx';
import { agreeToStandIn, endStandIn, usePress } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { question: words } = standInStrings;

export const Questions = ({ questions }: { readonly questions: readonly StandIn[] }) => (
  <ul className="grid gap-2.5 empty:hidden">
    {questions.map((standIn) => (
      <Question key={standIn.id} standIn={standIn} />
    ))}
  </ul>
);

function Question({ standIn }: { readonly standIn: StandIn }) {
  const { id, owner, from_rung, task_id, space_name } = standIn;
  const name = nameOf(owner);
  const [passes, setPasses] = useState(false);
  const agree = usePress(
    () => agreeToStandIn(id, passes),
    () => showToast(words.agreed(name)),
  );
  const decline = usePress(
    () => endStandIn(id),
    () => showToast(words.declined),
  );
  const isEither = from_rung === 0 && task_id !== null;
  return (
    <li className="card p-4">
      <p>{isEither ? words.asksEither(name) : words.asks(name)}</p>
      <p className="font-medium wrap-anywhere">{aboutWhat(standIn)}</p>
      <p className="text-sm text-soft">{words.details(from_rung ?? 0, space_name)}</p>
      <label className="my-1 flex min-h-11 items-center gap-3 text-sm">
        <input
          type="checkbox"
          className="size-5 shrink-0"
          checked={passes}
          onChange={(event) => setPasses(event.target.checked)}
        />
        {words.passes}
      </label>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-soft">{words.stopAnyTime}</p>
        <div className="ml-auto flex flex-wrap gap-2">
          <Button
            variant="plain"
            busy={decline.isPending}
            aria-label={words.declineNamed(name)}
            onClick={() => decline.mutate(undefined)}
          >
            {words.decline}
          </Button>
          <Button
            variant="primary"
            icon="done"
            busy={agree.isPending}
            aria-label={words.agreeNamed(name)}
            onClick={() => agree.mutate(undefined)}
          >
            {words.agree}
          </Button>
        </div>
      </div>
    </li>
  );
}

function aboutWhat({ task_id, task_title, label }: StandIn): string {
  if (task_id !== null) return task_title === null ? words.untitled : standInStrings.scope.task(task_title);
  return label === null ? words.everything : words.label(label);
}
