/** Imported tasks that were overdue. They ring only after the person has decided about them. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { problemText } from '../api/problem.ts';
import { useZone } from '../data/sync.ts';
import { formatDue } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { decide, undecidedOptions } from './move-in-queries.ts';
import { moveInStrings as words } from './move-in-strings.ts';

const DECISIONS = ['today', 'keep_date', 'drop'] as const;
type Decision = (typeof DECISIONS)[number];

export function OverdueTasks({ moveInId }: { readonly moveInId: string }) {
  const [zone, now] = [useZone(), useNow()];
  const { data } = useQuery(undecidedOptions(moveInId));
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ decision, ids }: { decision: Decision; ids: readonly string[] }) => decide(moveInId, decision, ids),
  });
  if (!data || data.tasks.length === 0) return null;
  const { tasks, has_more } = data;
  const all = has_more ? words.decideShown(tasks.length) : words.decideAll(tasks.length);
  return (
    <Section title={words.decide} lead={words.decideLead}>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <ul>
        {tasks.length > 1 && (
          <Row
            title={all}
            isBusy={isPending}
            onDecide={(decision) => mutate({ decision, ids: tasks.map(({ id }) => id) })}
          />
        )}
        {tasks.map((task) => (
          <Row
            key={task.id}
            title={task.title}
            when={words.wasDue(formatDue(task, zone, now))}
            isBusy={isPending}
            onDecide={(decision) => mutate({ decision, ids: [task.id] })}
          />
        ))}
      </ul>
    </Section>
  );
}

interface RowProps {
  readonly title: string;
  readonly when?: string;
  readonly isBusy: boolean;
  readonly onDecide: (decision: Decision) => void;
}

const Row = ({ title, when, isBusy, onDecide }: RowProps) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-t py-2 first:border-t-0">
    <p className="min-w-40 grow basis-40 wrap-anywhere">
      <span className={when === undefined ? 'font-semibold' : ''}>{title}</span>
      {when !== undefined && <span className="block text-sm text-soft">{when}</span>}
    </p>
    <div className="-ml-3 flex flex-wrap">
      {DECISIONS.map((decision) => (
        <Button
          key={decision}
          variant="plain"
          className="px-3!"
          disabled={isBusy}
          aria-label={words.decideOne(words.decisions[decision], title)}
          onClick={() => onDecide(decision)}
        >
          {words.decisions[decision]}
        </Button>
      ))}
    </div>
  </li>
);
