import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';

const { spaces: words } = strings;

/** Joining needs a click: opening a link must not make the user a member. */
export function Join() {
  const { token } = useParams({ from: '/inside/invites/$token' });
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/invites/{token}/accept', { params: { path: { token } } })),
    onSuccess: async (space) => {
      showToast(words.joined(space.name));
      await refresh();
      await navigate({ to: '/spaces/$spaceId', params: { spaceId: space.id }, replace: true });
    },
  });
  return (
    <Page title={words.joining} lead={words.joinLead}>
      {error && (
        <div className="mb-4">
          <Note tone="danger">{problemText(error)}</Note>
        </div>
      )}
      <div className="flex gap-2">
        <Button variant="primary" busy={isPending} onClick={() => mutate()}>
          {words.join}
        </Button>
        <Link to="/" className="inline-flex min-h-11 items-center rounded-full px-5 text-soft hover:text-ink">
          {strings.detail.toToday}
        </Link>
      </div>
    </Page>
  );
}
