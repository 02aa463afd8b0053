import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { api, read } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { refresh } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { say } from '../ui/toast.tsx';

const { spaces: words } = strings;

/** Joining takes a touch: a link that is merely looked at must not make anybody a member. */
export function Join() {
  const { token } = useParams({ from: '/inside/invites/$token' });
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => read(api.POST('/v1/invites/{token}/accept', { params: { path: { token } } })),
    onSuccess: async (space) => {
      say(words.joined(space.name));
      await refresh();
      await navigate({ to: '/spaces/$spaceId', params: { spaceId: space.id }, replace: true });
    },
  });
  return (
    <Page title={words.joining} lead={words.joinLead}>
      {error && (
        <div className="mb-4">
          <Note tone="danger">{wordsOf(error)}</Note>
        </div>
      )}
      <div className="flex gap-2">
        <Button look="primary" busy={isPending} onClick={() => mutate()}>
          {words.join}
        </Button>
        <Link to="/" className="inline-flex min-h-11 items-center rounded-full px-5 text-soft hover:text-ink">
          {strings.detail.toToday}
        </Link>
      </div>
    </Page>
  );
}
