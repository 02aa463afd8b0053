/** The tasks of others that have reached the signed-in person, who asks them to stand in, and for whom they do. */
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import type { StandIn } from '../api/client.ts';
import { nameOf } from '../data/people.ts';
import { refresh, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Note, Switch } from '../ui/field.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Questions } from './questions.tsx';
import { ReachedCard } from './reached-task.tsx';
import { formatScope } from './scope.ts';
import { agreeToStandIn, endStandIn, usePress, useStandingIn } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { page: words } = standInStrings;

export function StandInsPage() {
  const { taskId } = useParams({ strict: false });
  const { questions, agreements, open, settled, isLoaded, error } = useStandingIn();
  const zone = useZone();
  const now = useNow();
  // The title of a task outside a shared space is known once it has reached the person.
  const titles = new Map([...open, ...settled].map(({ task_id, title }) => [task_id, title]));
  const titled = (standIn: StandIn): StandIn => ({
    ...standIn,
    task_title: standIn.task_title ?? titles.get(standIn.task_id ?? '') ?? null,
  });
  const isGone = taskId !== undefined && !titles.has(taskId);
  const cards = (tasks: typeof open) => (
    <ul className="grid gap-3">
      {tasks.map((task) => (
        <ReachedCard key={task.task_id} task={task} zone={zone} now={now} isOpened={task.task_id === taskId} />
      ))}
    </ul>
  );
  return (
    <Page title={standInStrings.title} lead={words.lead}>
      {!isLoaded && (error ? <LoadError error={error} retry={() => void refresh()} /> : <Skeleton rows={2} tall />)}
      {isLoaded && (
        <>
          {isGone && (
            <div className="mb-5">
              <Note>{words.gone}</Note>
            </div>
          )}
          {questions.length > 0 && (
            <Part title={standInStrings.question.title}>
              <Questions questions={questions} />
            </Part>
          )}
          {open.length > 0 && <Part title={words.open}>{cards(open)}</Part>}
          {settled.length > 0 && <Part title={words.settled}>{cards(settled)}</Part>}
          {open.length + settled.length + questions.length === 0 && (
            <EmptyState title={words.empty}>{words.emptyLead}</EmptyState>
          )}
          {agreements.length > 0 && (
            <Section title={words.agreements} lead={words.agreementsLead}>
              <ul>
                {agreements.map((standIn) => (
                  <Agreement key={standIn.id} standIn={titled(standIn)} />
                ))}
              </ul>
            </Section>
          )}
        </>
      )}
    </Page>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8">
      <h2 id={id} className="mb-3 text-xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Agreement({ standIn }: { readonly standIn: StandIn }) {
  const { id, owner, from_rung, passes_quiet_hours, space_name } = standIn;
  const name = nameOf(owner);
  const stop = usePress(
    () => endStandIn(id),
    () => showToast(words.stopped(name)),
  );
  const change = usePress(
    (passes: boolean) => agreeToStandIn(id, passes),
    () => showToast(strings.saved),
  );
  return (
    <li className="border-t border-line py-3 first:border-t-0 first:pt-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">{words.agreement(name, formatScope(standIn))}</p>
          <p className="text-sm text-soft">{standInStrings.question.details(from_rung ?? 0, space_name)}</p>
        </div>
        <Button
          icon="leave"
          busy={stop.isPending}
          aria-label={words.stopNamed(name, formatScope(standIn))}
          onClick={() => stop.mutate(undefined)}
        >
          {words.stop}
        </Button>
      </div>
      <Switch
        label={standInStrings.question.passes}
        checked={change.isPending ? change.variables : passes_quiet_hours}
        disabled={change.isPending}
        onChange={change.mutate}
      />
    </li>
  );
}
