import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Task, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { membersOptions, nameOf, spacesOptions, usePeople, useSpaces } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { StageBadge } from '../ladder/stage-badge.tsx';
import { strings } from '../strings.ts';
import { formatDue } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import { AskMember } from './ask-member.tsx';
import { InviteSheet } from './invite.tsx';

const { spaces: words } = strings;
/** How long a declined request stays in the list of the person who asked. */
const DECLINED_SHOWN_MS = 30 * 86_400_000;

export function SpacePage() {
  const { spaceId } = useParams({ from: '/inside/spaces/$spaceId' });
  const space = useSpaces().data?.find(({ id }) => id === spaceId);
  const [open, setOpen] = useState<'invite' | 'ask' | 'leave'>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title={space?.name ?? words.title}
      back={{ to: '/spaces', label: words.title }}
      actions={
        <>
          <Button icon="person" onClick={() => setOpen('invite')}>
            {words.invite}
          </Button>
          <Button variant="primary" icon="plus" onClick={() => setOpen('ask')}>
            {words.assign}
          </Button>
        </>
      }
    >
      <SpaceTasks spaceId={spaceId} />
      <Members spaceId={spaceId} />
      <Button variant="plain" icon="leave" onClick={() => setOpen('leave')}>
        {words.leave}
      </Button>
      {open === 'invite' && <InviteSheet spaceId={spaceId} onClose={close} />}
      {open === 'ask' && <AskMember spaceId={spaceId} onClose={close} />}
      {open === 'leave' && <Leave spaceId={spaceId} name={space?.name ?? ''} onClose={close} />}
    </Page>
  );
}

function SpaceTasks({ spaceId }: { readonly spaceId: string }) {
  const now = useNow();
  const me = useSettings()?.id;
  const tasks = Object.values(useTasks() ?? {}).filter(({ space_id }) => space_id === spaceId);
  const open = tasks.filter(({ status }) => status === 'open');
  const accepted = open.filter(({ accepted_by_owner }) => accepted_by_owner);
  const requests = open.filter(({ accepted_by_owner }) => !accepted_by_owner);
  const declined = tasks
    .filter(({ status, assigner_id }) => status === 'declined' && assigner_id === me)
    .filter(({ updated_at }) => now - Date.parse(updated_at) < DECLINED_SHOWN_MS);
  return (
    <>
      <Section title={words.tasks}>
        {accepted.length === 0 && <p className="text-soft">{words.noTasks}</p>}
        <TaskLines tasks={accepted} />
      </Section>
      {requests.length > 0 && (
        <Section title={words.asked}>
          <TaskLines tasks={requests} />
        </Section>
      )}
      {declined.length > 0 && (
        <Section title={words.declined} lead={words.declinedLead}>
          <TaskLines tasks={declined} />
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
            <span>{formatDue(task, zone, now)}</span>
            <StageBadge task={task} now={now} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Members({ spaceId }: { readonly spaceId: string }) {
  // Polled, because a user who has just sent a link waits for the new member.
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
    mutationFn: () =>
      unwrap(api.DELETE('/v1/spaces/{space_id}/membership', { params: { path: { space_id: spaceId } } })),
    onSuccess: async () => {
      showToast(words.left(name));
      await navigate({ to: '/spaces' });
      await queryClient.invalidateQueries(spacesOptions);
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <Sheet title={words.leaveSure(name)} onClose={onClose}>
      <p className="mb-5 text-soft">{words.leaveText}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {words.leave}
        </Button>
      </div>
    </Sheet>
  );
}
