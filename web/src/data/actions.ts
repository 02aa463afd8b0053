/** What the buttons do: write the deed down, show it at once, and offer the way back. */
import type { Task } from '../api/client.ts';
import { strings } from '../strings.ts';
import { say } from '../ui/toast.tsx';
import { doDeed, takeBack } from './deed-book.ts';
import type { Deed, DeedKind } from './deeds.ts';
import { queryClient } from './query-client.ts';
import { type Synced, syncOptions } from './sync.ts';

/** Those the service itself can take back, within a day. */
const REOPENABLE: ReadonlySet<DeedKind> = new Set(['complete', 'skip', 'drop']);
const TAKEN_BACK: ReadonlySet<DeedKind> = new Set([...REOPENABLE, 'snooze', 'decline']);

export const currentUserId = (): string => queryClient.getQueryData<Synced>(syncOptions.queryKey)?.settings.id ?? '';

type Acting = Exclude<DeedKind, 'create' | 'edit'>;

export function act(kind: Acting, task: Task, until?: string): void {
  // Bound to the occurrence that was on the screen, so that it can never finish another one.
  const isBound = kind === 'complete' || kind === 'skip' || kind === 'snooze';
  const body = { ...(isBound && { occurrence_due_at: task.due_at }), ...(until !== undefined && { until }) };
  const doing = doDeed({ kind, task, userId: currentUserId(), body });
  const undo = () => void doing.then((deed) => undoDeed(deed, task));
  say(strings.task.did[kind](task.title), TAKEN_BACK.has(kind) ? { label: strings.undo, run: undo } : undefined);
}

async function undoDeed(deed: Deed, task: Task): Promise<void> {
  const isTakenBack = await takeBack(deed);
  if (!isTakenBack && REOPENABLE.has(deed.kind)) await doDeed({ kind: 'reopen', task, userId: deed.userId });
}
