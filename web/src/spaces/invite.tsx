import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Invite, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Field, Note } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { refetchInvites } from './members.tsx';

const { spaces: words } = screenStrings;

export function InviteSheet({ spaceId, onClose }: { readonly spaceId: string; readonly onClose: () => void }) {
  const [contact, setContact] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/spaces/{space_id}/invites', {
          params: { path: { space_id: spaceId } },
          body: { invitee_contact: contact.trim() || null },
        }),
      ),
    onSuccess: () => refetchInvites(spaceId),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.inviteTitle} onClose={onClose}>
      <p className="mb-4 text-soft">{words.inviteLead}</p>
      {data ? (
        <CreatedInvite invite={data} contact={contact.trim()} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <Field
            label={words.inviteContact}
            type="email"
            autoComplete="off"
            value={contact}
            onChange={(event) => setContact(event.target.value)}
          />
          {error && <Note tone="danger">{problemText(error)}</Note>}
          <Button type="submit" variant="primary" busy={isPending}>
            {words.inviteMake}
          </Button>
        </form>
      )}
    </Sheet>
  );
}

interface CreatedInviteProps {
  readonly invite: Invite;
  readonly contact: string;
  readonly onClose: () => void;
}

function CreatedInvite({ invite: { id, space_id, token }, contact, onClose }: CreatedInviteProps) {
  const revoke = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/v1/spaces/{space_id}/invites/{invite_id}', { params: { path: { space_id, invite_id: id } } }),
      ),
    onSuccess: () => {
      showToast(words.revoked);
      onClose();
      return refetchInvites(space_id);
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <>
      <CopyBox label={words.inviteLink} text={`${location.origin}/app/invites/${token}`} />
      {contact && <p className="mb-4 text-sm text-soft">{words.inviteMailed(contact)}</p>}
      <Button variant="danger" busy={revoke.isPending} onClick={() => revoke.mutate()}>
        {words.revoke}
      </Button>
    </>
  );
}
