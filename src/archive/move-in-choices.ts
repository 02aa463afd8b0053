/** What the person chose after the preview, applied to a task that waits. Pure. */
import type { NamedChoice } from '../escalation/choose-ladder.ts';
import { joinNotes } from '../words/fit-title.ts';
import type { WaitingTask } from './read-move-in.ts';

export interface MoveInChoices {
  /** `open` leaves out what is done. */
  readonly which: 'all' | 'open';
  /** The label of each list, by its index in the preview. */
  readonly labels: readonly { readonly list: number; readonly label: string }[];
  /** For every task that escalates and has no ladder of its own; null for the usual one. */
  readonly ladder: NamedChoice | null;
}

/** Undefined if the person does not want the task. */
export function applyChoices({ list, task }: WaitingTask, choices: MoveInChoices): WaitingTask['task'] | undefined {
  const isOpen = task.status === undefined || task.status === 'open';
  if (!isOpen && choices.which === 'open') return undefined;
  const label = choices.labels.find((one) => one.list === list)?.label;
  const takesLadder = choices.ladder !== null && task.mode !== 'notify_once' && task.ladder == null;
  return {
    ...task,
    ...(label !== undefined && { kind: label, notes: withFormerLabel(task, label) }),
    ...(takesLadder && { ladder: choices.ladder }),
  };
}

/** A task has one label, so the one that it had goes into the notes. */
function withFormerLabel({ kind, notes }: WaitingTask['task'], label: string): unknown {
  if (typeof kind !== 'string' || kind === label || kind === 'todo') return notes;
  const text = typeof notes === 'string' ? notes : '';
  return text.includes(`Labels: ${kind}`) ? notes : joinNotes(text, `Labels: ${kind}`);
}
