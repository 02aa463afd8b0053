/** How far an import is, what it brought, and the way back. It goes on while the person is elsewhere. */
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { MoveIn } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { syncAgain, useZone } from '../data/sync.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { isUnderWay, undoImport } from './move-in-queries.ts';
import { moveInStrings as words } from './move-in-strings.ts';
import { OverdueTasks } from './overdue-tasks.tsx';

interface ImportProps {
  readonly moveIn: MoveIn;
}

export function ImportState({ moveIn }: ImportProps) {
  const source = words.sources[moveIn.source];
  const isBusy = isUnderWay(moveIn);
  useEffect(() => {
    // The tasks that the last slice brought, or took back.
    if (!isBusy) void syncAgain();
  }, [isBusy]);
  if (moveIn.state === 'importing') {
    return (
      <Section title={words.importing(source)}>
        <Progress moveIn={moveIn} />
        <Undo moveIn={moveIn} />
      </Section>
    );
  }
  if (moveIn.state === 'undoing' || moveIn.state === 'undone') {
    return (
      <Section title={isBusy ? words.undoing : words.undone(source)}>
        <p aria-live="polite">{words.undoneText(moveIn.removed, moveIn.kept)}</p>
      </Section>
    );
  }
  return (
    <>
      <Section title={words.done(source)}>
        <Result moveIn={moveIn} />
        <Undo moveIn={moveIn} />
      </Section>
      {moveIn.overdue > 0 && <OverdueTasks moveInId={moveIn.id} />}
    </>
  );
}

const Progress = ({ moveIn: { processed, tasks } }: ImportProps) => (
  <div className="mb-4">
    <progress className="mb-2 h-2 w-full" max={tasks} value={processed} aria-label={words.progress(processed, tasks)} />
    <p className="text-sm text-soft">{words.progress(processed, tasks)}</p>
  </div>
);

const Result = ({ moveIn: { imported, already_there, refused, problem } }: ImportProps) => (
  <div aria-live="polite" className="mb-4 grid gap-3">
    <p>{words.doneText(imported, already_there)}</p>
    {refused > 0 && <p>{words.refused(refused)}</p>}
    {problem !== null && <Note tone="danger">{problem}</Note>}
  </div>
);

function Undo({ moveIn: { id, undo_until } }: ImportProps) {
  const [zone, now] = [useZone(), useNow()];
  const { mutate, isPending, error } = useMutation({ mutationFn: () => undoImport(id) });
  if (undo_until === null) return null;
  return (
    <>
      <Button busy={isPending} onClick={() => mutate()}>
        {words.undo}
      </Button>
      <p className="mt-2 text-sm text-soft">{words.undoUntil(formatMoment(undo_until, zone, now))}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
    </>
  );
}
