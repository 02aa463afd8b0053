/** The next dates of the rule as it is edited. The service computes them, with the code that repeats tasks. */
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import type { TaskUpdate } from '../api/client.ts';
import { Problem, problemText } from '../api/problem.ts';
import { currentTaskId } from '../data/action-queue.ts';
import { isLocal } from '../data/queued-action.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate, formatTime } from '../time/format.ts';

const words = screenStrings.repeat;
/** Long enough for a digit more. */
const TYPING_MS = 250;

type Found = { readonly dates: readonly string[] } | { readonly problem: string };

interface RepeatPreviewProps {
  readonly taskId: string;
  readonly edit: Pick<TaskUpdate, 'due_at' | 'has_time' | 'recurrence'>;
  readonly hasTime: boolean;
  readonly zone: string;
}

export function RepeatPreview({ taskId, edit, hasTime, zone }: RepeatPreviewProps) {
  const [found, setFound] = useState<Found>();
  const body = JSON.stringify(edit);
  useEffect(() => {
    let isStale = false;
    const timer = setTimeout(() => {
      void ask(taskId, JSON.parse(body)).then((answer) => !isStale && setFound(answer));
    }, TYPING_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [taskId, body]);
  return (
    <section aria-live="polite" aria-label={words.next} className="rounded-xl bg-sunk px-4 py-3 text-sm">
      <h3 className="mb-1 font-semibold">{words.next}</h3>
      {found && 'problem' in found && <p className="text-soft">{found.problem}</p>}
      {found && 'dates' in found && found.dates.length === 0 && <p className="text-soft">{words.noNext}</p>}
      {found && 'dates' in found && (
        <ol>
          {found.dates.map((date) => (
            <li key={date}>
              {hasTime ? `${formatDate(date, zone)}, ${formatTime(date, zone)}` : formatDate(date, zone)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

async function ask(taskId: string, edit: object): Promise<Found> {
  const id = currentTaskId(taskId);
  if (isLocal(id)) return { problem: words.previewLater };
  try {
    return { dates: await call<string[]>('POST', `/v1/tasks/${id}/preview`, edit) };
  } catch (error) {
    const isOffline = error instanceof Problem && error.isTemporary;
    return { problem: isOffline ? words.previewLater : problemText(error) };
  }
}
