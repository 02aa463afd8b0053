/** What the reader of a file found, in a short form. */
import type { ReadEntry } from '../../src/archive/readers/foreign-task.ts';

export const READER = { zone: 'Europe/Vienna', now: new Date('2026-03-02T09:00:00Z') };

export function entriesOf(read: Iterable<ReadEntry>) {
  const entries = [...read];
  const tasks = entries.flatMap((entry) => (entry.kind === 'task' ? [entry] : []));
  const byTitle = new Map(tasks.map((entry) => [String(entry.task.title), entry]));
  return {
    tasks,
    titles: tasks.map(({ task }) => task.title),
    /** A field of the task with this title. */
    field: (title: string, name: string): unknown => byTitle.get(title)?.task[name],
    list: (title: string): string | null | undefined => byTitle.get(title)?.list,
    remarks: entries.flatMap((entry) => (entry.kind === 'remark' ? [`${entry.at}: ${entry.says}`] : [])),
    leftOut: entries.flatMap((entry) => (entry.kind === 'left_out' ? [entry.what] : [])).sort(),
  };
}
