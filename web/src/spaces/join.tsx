import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { mergeSettings, refresh, useSettings } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Page, Skeleton } from '../ui/page.tsx';

const { spaces: words } = screenStrings;

/** Joining needs a click: opening a link must not make the user a member. */
export function Join() {
  const { token } = useParams({ from: '/inside/invites/$token' });
  const preview = useQuery({
    queryKey: ['invite', token],
    queryFn: () => unwrap(api.GET('/v1/invites/{token}', { params: { path: { token } } })),
    // The token is a secret, so neither the token nor the invitation is saved.
    meta: { secret: true },
    gcTime: 0,
    retry: false,
  });
  const invite = preview.data;
  return (
    <Page
      title={invite ? words.joiningNamed(invite.space_name) : words.joining}
      lead={invite && (invite.inviter_name ? words.invitedByName(invite.inviter_name) : words.invitedByUnnamed)}
    >
      {preview.isPending && <Skeleton rows={2} />}
      {preview.error && (
        <div className="mb-4">
          <Note tone="danger">{problemText(preview.error)}</Note>
        </div>
      )}
      {invite && <JoinForm token={token} isMember={invite.is_member} />}
      <Link
        to="/"
        className="inline-flex min-h-11 items-center rounded-full text-soft underline-offset-4 hover:underline"
      >
        {strings.detail.toToday}
      </Link>
    </Page>
  );
}

function JoinForm({ token, isMember }: { readonly token: string; readonly isMember: boolean }) {
  const navigate = useNavigate();
  const settings = useSettings();
  const [name, setName] = useState('');
  const isUnnamed = settings?.display_name === null;
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      // Before joining, so that the others never see a member without a name.
      if (isUnnamed && name.trim() !== '')
        mergeSettings(await unwrap(api.PATCH('/v1/me', { body: { display_name: name.trim() } })));
      return unwrap(api.POST('/v1/invites/{token}/accept', { params: { path: { token } } }));
    },
    onSuccess: async (space) => {
      if (!isMember) showToast(words.joined(space.name));
      await refresh();
      await navigate({ to: '/spaces/$spaceId', params: { spaceId: space.id }, replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} className="card mb-4 grid gap-4 p-5 sm:p-6">
      <p>{isMember ? words.isMember : words.joinMeans}</p>
      {isUnnamed && !isMember && (
        <Field
          label={words.yourName}
          autoComplete="name"
          maxLength={100}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <Button type="submit" variant="primary" busy={isPending}>
        {isMember ? words.openSpace : words.join}
      </Button>
    </form>
  );
}
