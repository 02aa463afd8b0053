import type { Task } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { queueWithUndo } from '../data/task-actions.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { redate, todayIn } from './redate.ts';

export function MoveOverdue({ tasks }: { readonly tasks: readonly Task[] }) {
  const zone = useZone();
  const move = () => {
    const now = Date.now();
    const changes = tasks.map((task) => redate(task, todayIn(zone, now), now, zone));
    queueWithUndo(strings.today.movedOverdue(tasks.length), changes);
  };
  return (
    <Button variant="plain" className="-my-1.5 -mr-2 px-3" onClick={move}>
      {strings.today.moveOverdue}
    </Button>
  );
}
