/** On the page of a request that waits for an answer: who asked whom, and what the asker can do instead of waiting. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Task } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { membersOptions, nameOf, usePeople } from '../data/people.ts';
import { askOther, requestsOptions } from '../data/requests.ts';
import { refresh, useSettings, useZone } from '../data/sync.ts';
import { act } from '../data/task-actions.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Note, Select } from '../ui/field.tsx';

const { asked: words } = screenStrings;

export function Asked({ task }: { readonly task: Task }) {
  const me = useSettings()?.id;
  const zone = useZone();
  const now = useNow();
  const people = usePeople();
  const request = useQuery(requestsOptions).data?.find(({ task_id }) => task_id === task.id);
  const otherId = (task.owner_id === me ? task.assigner_id : task.owner_id) ?? '';
  const name = request?.person_name ?? people.get(otherId) ?? strings.today.someone;
  if (task.owner_id === me) return <p className="mb-6">{words.asksYou(name)}</p>;
  const { messages_sent = 0, next_message_at = null, unanswered = false } = request ?? {};
  const facts = [
    unanswered ? words.unanswered(name) : words.waiting(name),
    request ? words.told(messages_sent) : '',
    next_message_at === null || unanswered ? '' : words.again(formatMoment(next_message_at, zone, now)),
  ];
  return (
    <section aria-labelledby="asked" className="card mb-6 p-4 sm:p-6">
      <h2 id="asked" className="mb-1 text-xl">
        {words.youAsked(name)}
      </h2>
      <p className={`mb-4 ${unanswered ? 'font-medium text-danger' : 'text-soft'}`}>
        {facts.filter(Boolean).join(' ')}
      </p>
      <Instead task={task} />
    </section>
  );
}

function Instead({ task }: { readonly task: Task }) {
  const me = useSettings()?.id ?? '';
  const navigate = useNavigate();
  const [isChoosing, setChoosing] = useState(false);
  // The service makes the task anew, so it has another id.
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (ownerId: string) => {
      const made = await askOther(task.id, ownerId);
      await refresh();
      return made;
    },
    onSuccess: ({ id }) => navigate({ to: '/tasks/$taskId', params: { taskId: id }, replace: true }),
  });
  return (
    <>
      {task.space_id !== null && isChoosing && (
        <Members spaceId={task.space_id} except={[me, task.owner_id]} isPending={isPending} onChoose={mutate} />
      )}
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="flex flex-wrap gap-2">
        {task.space_id !== null && (
          <>
            <Button aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
              {words.askOther}
            </Button>
            <Button busy={isPending} onClick={() => mutate(me)}>
              {words.doMyself}
            </Button>
          </>
        )}
        <Button variant="plain" icon="trash" aria-keyshortcuts="Delete" onClick={() => act('drop', task)}>
          {words.takeBack}
        </Button>
      </div>
    </>
  );
}

interface MembersProps {
  readonly spaceId: string;
  readonly except: readonly string[];
  readonly isPending: boolean;
  readonly onChoose: (userId: string) => void;
}

function Members({ spaceId, except, isPending, onChoose }: MembersProps) {
  const { data: members = [] } = useQuery(membersOptions(spaceId));
  const others = members.filter(({ user_id }) => !except.includes(user_id));
  const [chosen, setChosen] = useState<string>();
  const userId = chosen ?? others[0]?.user_id;
  if (userId === undefined) return <p className="mb-4 text-soft">{words.nobodyElse}</p>;
  return (
    <div className="mb-4 flex flex-wrap items-end gap-2">
      <Select label={words.whom} value={userId} onChange={(event) => setChosen(event.target.value)}>
        {others.map((member) => (
          <option key={member.user_id} value={member.user_id}>
            {nameOf(member)}
          </option>
        ))}
      </Select>
      <Button variant="primary" busy={isPending} onClick={() => onChoose(userId)}>
        {words.ask}
      </Button>
    </div>
  );
}
