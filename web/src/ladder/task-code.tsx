/** What messages without titles call a task. */
import { useTaskCode } from '../data/channels.ts';
import { strings } from '../strings.ts';

export function TaskCode({ taskId }: { readonly taskId: string }) {
  const code = useTaskCode(taskId);
  return code === undefined ? null : (
    <span className="text-soft" title={strings.task.code}>
      <span className="sr-only">{strings.task.code}: </span>
      {code}
    </span>
  );
}
