/** Which ladder a task has and why, in what its nudges depart from it, and its heads-ups. Its owner chooses them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Task, TaskLadder } from '../api/client.ts';
import { useSettings } from '../data/sync.ts';
import { Button } from '../ui/button.tsx';
import { ChooseLadder } from './choose-ladder.tsx';
import { formatLadder, nameOfLadder } from './format-ladder.ts';
import { HeadsUps } from './heads-ups.tsx';
import { type EditedLadder, LadderEditor } from './ladder-editor.tsx';
import { bookOptions, taskLadderOptions } from './ladder-queries.ts';
import { ladderStrings } from './ladder-strings.ts';

const { task: words } = ladderStrings;

export function TaskLadderPart({ task }: { readonly task: Task }) {
  const { data: ladder } = useQuery(taskLadderOptions(task.id));
  const me = useSettings()?.id;
  const isOwner = task.owner_id === me;
  const mayChange = isOwner && task.status === 'open';
  return (
    <>
      {ladder && <Holds task={task} ladder={ladder} isOwner={isOwner} mayChange={mayChange} />}
      <HeadsUps task={task} mayChange={mayChange} />
    </>
  );
}

interface HoldsProps {
  readonly task: Task;
  readonly ladder: TaskLadder;
  readonly isOwner: boolean;
  readonly mayChange: boolean;
}

function Holds({ task, ladder, isOwner, mayChange }: HoldsProps) {
  const [open, setOpen] = useState<'choose' | EditedLadder>();
  // Others see the ladder, and not the owner's other ones.
  const { data: book } = useQuery({ ...bookOptions, enabled: mayChange });
  const close = () => setOpen(undefined);
  return (
    <div data-ladder className="mt-4 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-60">
          <h3 className="text-base">{words.title}</h3>
          <p>
            <strong className="font-semibold">{nameOfLadder(ladder)}</strong>, {whyOf(ladder, isOwner)}
          </p>
          <p className="text-sm text-soft">{formatLadder(ladder)}</p>
        </div>
        {mayChange && book && <Button onClick={() => setOpen('choose')}>{words.change}</Button>}
      </div>
      {ladder.fitted.map((fit) => (
        <p key={fit} className="mt-2 rounded-xl bg-sunk px-3 py-2 text-sm text-soft">
          {words.fitted[fit]}
        </p>
      ))}
      {open === 'choose' && book && (
        <ChooseLadder task={task} current={ladder} book={book} onEdit={setOpen} onClose={close} />
      )}
      {typeof open === 'object' && (
        <LadderEditor start={open} task={task} onClose={() => setOpen(open.id === undefined ? undefined : 'choose')} />
      )}
    </div>
  );
}

function whyOf({ from, label }: TaskLadder, isOwner: boolean): string {
  if (from === 'label') return words.from.label(label ?? '');
  return from === 'account' && !isOwner ? words.from.theirs : words.from[from];
}
