import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Task, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { membersOptions, spacesOptions, usePeople, useSpaces } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { StageBadge } from '../ladder/stage-badge.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDue } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { AddToSpace } from './add-to-space.tsx';
import { InviteSheet } from './invite.tsx';
import { Members, OpenInvites, useIsOwner } from './members.tsx';
import { RenameSpace } from './name-space.tsx';
import { SpaceRequests } from './space-requests.tsx';
import { TaskLine } from './task-line.tsx';

const { spaces: words } = screenStrings;

export function SpacePage() {
  const { spaceId } = useParams({ from: '/inside/spaces/$spaceId' });
  const space = useSpaces().data?.find(({ id }) => id === spaceId);
  const me = useSettings()?.id;
  const others = (useQuery(membersOptions(spaceId)).data ?? []).filter(({ user_id }) => user_id !== me);
  const isOwner = useIsOwner(spaceId);
  const [open, setOpen] = useState<'invite' | 'ask' | 'add' | 'rename' | 'leave'>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title={space?.name ?? words.title}
      back={{ to: '/spaces', label: words.title }}
      actions={
        <>
          <Button variant="primary" icon="plus" onClick={() => setOpen('add')}>
            {words.addTask}
          </Button>
          <Button icon="person" onClick={() => setOpen('invite')}>
            {words.invite}
          </Button>
          {others.length > 0 && <Button onClick={() => setOpen('ask')}>{words.assign}</Button>}
        </>
      }
    >
      <SpaceTasks spaceId={spaceId} />
      <Members spaceId={spaceId} />
      <OpenInvites spaceId={spaceId} />
      <div className="flex flex-wrap gap-2">
        {isOwner && (
          <Button variant="plain" icon="edit" onClick={() => setOpen('rename')}>
            {words.rename}
          </Button>
        )}
        <Button variant="plain" icon="leave" onClick={() => setOpen('leave')}>
          {words.leave}
        </Button>
      </div>
      {open === 'invite' && <InviteSheet spaceId={spaceId} onClose={close} />}
      {open === 'ask' && <AddToSpace spaceId={spaceId} firstOwner={others[0]?.user_id} onClose={close} />}
      {open === 'add' && <AddToSpace spaceId={spaceId} firstOwner={me} onClose={close} />}
      {open === 'rename' && space && <RenameSpace space={space} onClose={close} />}
      {open === 'leave' && <Leave spaceId={spaceId} name={space?.name ?? ''} onClose={close} />}
    </Page>
  );
}

function SpaceTasks({ spaceId }: { readonly spaceId: string }) {
  const tasks = Object.values(useTasks() ?? {}).filter(({ space_id }) => space_id === spaceId);
  const accepted = tasks.filter(({ status, accepted_by_owner }) => status === 'open' && accepted_by_owner);
  return (
    <>
      <Section title={words.tasks}>
        {accepted.length === 0 && <p className="text-soft">{words.noTasks}</p>}
        <TaskLines tasks={accepted} />
      </Section>
      <SpaceRequests tasks={tasks} />
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
        <TaskLine key={task.id} task={task}>
          <span>{task.owner_id === me ? strings.you : (people.get(task.owner_id) ?? strings.today.someone)}</span>
          <span>{formatDue(task, zone, now)}</span>
          <StageBadge task={task} now={now} />
        </TaskLine>
      ))}
    </ul>
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
