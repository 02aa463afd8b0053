import type { StandIn } from '../api/client.ts';
import { standInStrings } from './stand-in-strings.ts';

const { scope: words } = standInStrings;

/** What a person was asked to stand in for. */
export function formatScope({ task_id, task_title, label }: StandIn): string {
  if (task_id !== null) return task_title === null ? words.someTask : words.task(task_title);
  return label === null ? words.everything : words.label(label);
}
