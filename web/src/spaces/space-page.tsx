import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read, type Task } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { membersOptions, nameOf, spacesOptions, usePeople, useSpaces } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { StageMark } from '../tasks/stage-mark.tsx';
import { useNow } from '../time/now.ts';
import { dueWords } from '../time/words.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import { say } from '../ui/toast.tsx';
import { AskMember } from './ask-member.tsx';
import { InviteSheet } from './invite.tsx';

const { spaces: words } = strings;

export function SpacePage() {
  const { spaceId } = useParams({ from: '/inside/spaces/$spaceId' });
  const space = useSpaces().data?.find(({ id }) => id === spaceId);
  const [open, setOpen] = useState<'invite' | 'ask' | 'leave'>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title={space?.name ?? words.title}
      back={
        <Link
          to="/spaces"
          className="-mt-3 mb-1 -ml-2 inline-flex min-h-11 items-center gap-1 rounded-full px-2 text-soft hover:text-ink"
        >
          <Icon name="back" className="size-4.5" />
          {words.title}
        </Link>
      }
      actions={
        <>
          <Button icon="person" onClick={() => setOpen('invite')}>
            {words.invite}
          </Button>
          <Button look="primary" icon="plus" onClick={() => setOpen('ask')}>
            {words.assign}
          </Button>
        </>
      }
    >
      <SpaceTasks spaceId={spaceId} />
      <Members spaceId={spaceId} />
      <Button look="plain" icon="leave" onClick={() => setOpen('leave')}>
        {words.leave}
      </Button>
      {open === 'invite' && <InviteSheet spaceId={spaceId} onClose={close} />}
      {open === 'ask' && <AskMember spaceId={spaceId} onClose={close} />}
      {open === 'leave' && <Leave spaceId={spaceId} name={space?.name ?? ''} onClose={close} />}
    </Page>
  );
}

function SpaceTasks({ spaceId }: { readonly spaceId: string }) {
  const tasks = Object.values(useTasks() ?? {}).filter(
    ({ space_id, status }) => space_id === spaceId && status === 'open',
  );
  const accepted = tasks.filter(({ accepted_by_owner }) => accepted_by_owner);
  const asked = tasks.filter(({ accepted_by_owner }) => !accepted_by_owner);
  return (
    <>
      <Section title={words.tasks}>
        {accepted.length === 0 && <p className="text-soft">{words.noTasks}</p>}
        <TaskLines tasks={accepted} />
      </Section>
      {asked.length > 0 && (
        <Section title={words.asked}>
          <TaskLines tasks={asked} />
        </Section>
      )}
    </>
  );
}

function TaskLines({ tasks }: { readonly tasks: readonly Task[] }) {
  const zone = useZone();
  const now = useNow();
  const people = usePeople();
  const me = useSettings()?.id;
  return (
    <ul>
      {tasks.map((task) => (
        <li key={task.id} className="border-t border-line py-2.5 first:border-t-0 first:pt-0">
          <TaskLink taskId={task.id} className="font-medium">
            {task.title}
          </TaskLink>
          <p className="flex flex-wrap gap-x-3 text-sm text-soft">
            <span>{task.owner_id === me ? strings.you : (people.get(task.owner_id) ?? strings.today.someone)}</span>
            <span>{dueWords(task, zone, now)}</span>
            <StageMark stage={task.escalation_stage} nudges={task.nudge_count} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Members({ spaceId }: { readonly spaceId: string }) {
  // Whoever has just sent a link waits for somebody to come.
  const { data } = useQuery({ ...membersOptions(spaceId), refetchInterval: 20_000 });
  const me = useSettings();
  return (
    <Section title={words.members}>
      {!data && <Skeleton rows={2} />}
      <ul>
        {data?.map((member) => (
          <li key={member.user_id} className="flex min-h-12 items-center gap-3 border-t border-line first:border-t-0">
            <Icon name="person" className="size-5 text-soft" />
            <span className="min-w-0 grow">
              {nameOf(member)} {member.user_id === me?.id && <span className="text-soft">({strings.you})</span>}
            </span>
            {member.role === 'owner' && <span className="text-sm text-soft">{words.owner}</span>}
          </li>
        ))}
      </ul>
      {me?.display_name === null && (
        <div className="mt-3">
          <Note>{words.nameYourself}</Note>
        </div>
      )}
    </Section>
  );
}

interface LeaveProps {
  readonly spaceId: string;
  readonly name: string;
  readonly onClose: () => void;
}

function Leave({ spaceId, name, onClose }: LeaveProps) {
  const navigate = useNavigate();
  const { mutate, isPending } = useMutation({
    mutationFn: () => read(api.DELETE('/v1/spaces/{space_id}/membership', { params: { path: { space_id: spaceId } } })),
    onSuccess: async () => {
      say(words.left(name));
      await navigate({ to: '/spaces' });
      await queryClient.invalidateQueries(spacesOptions);
    },
    onError: (error) => say(wordsOf(error)),
  });
  return (
    <Sheet title={words.leaveSure(name)} onClose={onClose}>
      <p className="mb-5 text-soft">{words.leaveText}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button look="danger" busy={isPending} onClick={() => mutate()}>
          {words.leave}
        </Button>
      </div>
    </Sheet>
  );
}
