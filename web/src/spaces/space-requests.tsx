/** Who asked whom in a space, and the state of each request. */
import { useQuery } from '@tanstack/react-query';
import type { Task } from '../api/client.ts';
import { usePeople } from '../data/people.ts';
import { requestsOptions } from '../data/requests.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { TaskCode } from '../ladder/task-code.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Section } from '../ui/section.tsx';
import { TaskLine } from './task-line.tsx';

const { spaces: words } = screenStrings;
/** How long an answered or closed request stays in the list. */
const SHOWN_MS = 30 * 86_400_000;

/** Newest first. Only requests from or to the user: a request concerns the two people in it alone. */
function listRequests(tasks: readonly Task[], me: string | undefined, now: number): Task[] {
  return tasks
    .filter(({ assigner_id, owner_id }) => assigner_id !== null && assigner_id !== owner_id)
    .filter(({ assigner_id, owner_id }) => assigner_id === me || owner_id === me)
    .filter((task) => stateOf(task) === 'waiting' || now - Date.parse(task.updated_at) < SHOWN_MS)
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
}

type State = keyof typeof words.became;

function stateOf({ status, accepted_by_owner }: Task): Exclude<State, 'unanswered'> {
  if (status === 'open') return accepted_by_owner ? 'accepted' : 'waiting';
  if (status === 'done' || status === 'skipped' || status === 'declined') return status;
  return accepted_by_owner ? 'dropped' : 'withdrawn';
}

const IS_BAD: ReadonlySet<State> = new Set(['declined', 'unanswered']);

export function SpaceRequests({ tasks }: { readonly tasks: readonly Task[] }) {
  const now = useNow();
  const zone = useZone();
  const people = usePeople();
  const me = useSettings()?.id;
  const { data: asked = [] } = useQuery(requestsOptions);
  const requests = listRequests(tasks, me, now);
  if (requests.length === 0) return null;
  const nobodyAnswered = new Set(asked.filter(({ unanswered }) => unanswered).map(({ task_id }) => task_id));
  const shownState = (task: Task): State => (nobodyAnswered.has(task.id) ? 'unanswered' : stateOf(task));
  const nameOf = (id: string | null) => (id === me ? strings.you : (people.get(id ?? '') ?? strings.today.someone));
  return (
    <Section title={words.asked} lead={words.askedLead}>
      <ul>
        {requests.map((task) => (
          <TaskLine key={task.id} task={task}>
            <span>{words.askedWhom(nameOf(task.assigner_id), nameOf(task.owner_id))}</span>
            <span className={`font-medium ${IS_BAD.has(shownState(task)) ? 'text-danger' : 'text-ink'}`}>
              {words.became[shownState(task)](nameOf(task.owner_id))}
            </span>
            <span>
              {task.status === 'open' ? formatDue(task, zone, now) : formatMoment(task.updated_at, zone, now)}
            </span>
            <TaskCode taskId={task.id} />
          </TaskLine>
        ))}
      </ul>
    </Section>
  );
}
