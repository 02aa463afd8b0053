/** Who can create an account: everybody or invited people, and who is invited. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Invitation } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDate } from '../time/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field, Note, Switch } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { invitationsOptions, invite, refetchAdmin, revokeInvitation, setSignUp } from './queries.ts';

const { admin: words } = screenStrings;

interface JoiningProps {
  readonly signUp: string;
  /** The setting of the operator decides. */
  readonly isFixed: boolean;
}

export function Joining({ signUp, isFixed }: JoiningProps) {
  const { data = [] } = useQuery(invitationsOptions);
  const change = useMutation({
    mutationFn: (isOpen: boolean) => setSignUp(isOpen ? 'open' : 'invite'),
    onSuccess: () => showToast(strings.saved),
    onError: (error) => showToast(problemText(error)),
    onSettled: refetchAdmin,
  });
  const isOpen = change.isPending ? change.variables : signUp !== 'invite';
  return (
    <Section title={words.joining} lead={words.joiningLead}>
      <Switch
        label={signUp === 'domains' ? words.openToDomains : words.openToAll}
        hint={isFixed ? words.fixed : words.openHint}
        checked={isOpen}
        disabled={isFixed || change.isPending}
        onChange={(checked) => change.mutate(checked)}
      />
      <Invite />
      <ul className="mt-3 empty:hidden">
        {data.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

function Invite() {
  const [email, setEmail] = useState('');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: invite,
    onSuccess: () => setEmail(''),
    onSettled: refetchAdmin,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(email.trim());
  };
  return (
    <form onSubmit={submit} className="mt-4 grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field
          className="min-w-0 grow basis-56"
          label={words.inviteEmail}
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" variant="primary" busy={isPending}>
          {words.invite}
        </Button>
      </div>
      <div aria-live="polite" className="empty:hidden">
        {error && <Note tone="danger">{problemText(error)}</Note>}
        {data && (
          <Note tone="good">
            {data.mailed
              ? words.invited(data.invitation.email)
              : words.invitedSilently(data.invitation.email, `${location.origin}/app`)}
          </Note>
        )}
      </div>
    </form>
  );
}

function InvitationRow({ invitation: { id, email, expires_at } }: { readonly invitation: Invitation }) {
  const zone = useZone();
  const { mutate, isPending } = useMutation({
    mutationFn: () => revokeInvitation(id),
    onError: (error) => showToast(problemText(error)),
    onSettled: refetchAdmin,
  });
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-2 last:border-b-0">
      <p className="min-w-0">
        {email}
        <span className="block text-sm text-soft">{words.invitedUntil(formatDate(expires_at, zone))}</span>
      </p>
      <IconButton icon="trash" label={words.revoke(email)} disabled={isPending} onClick={() => mutate()} />
    </li>
  );
}
