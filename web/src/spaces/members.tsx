/** Who is in a space and who is invited. The owner removes members; invitations are revoked by their inviter or the owner. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Member, type OpenInvite, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { membersOptions, nameOf, usePeople } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { refresh, useSettings, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatShortDate } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { spaces: words } = screenStrings;
/** A user who has just sent a link waits for the new member. */
const POLL_MS = 20_000;

const invitesOptions = (spaceId: string) =>
  queryOptions({
    queryKey: ['spaces', spaceId, 'invites'],
    queryFn: () => unwrap(api.GET('/v1/spaces/{space_id}/invites', { params: { path: { space_id: spaceId } } })),
    refetchInterval: POLL_MS,
  });

export const refetchInvites = (spaceId: string) => queryClient.invalidateQueries(invitesOptions(spaceId));

export function useIsOwner(spaceId: string): boolean {
  const { data = [] } = useQuery(membersOptions(spaceId));
  const me = useSettings()?.id;
  return data.some(({ user_id, role }) => user_id === me && role === 'owner');
}

export function Members({ spaceId }: { readonly spaceId: string }) {
  const { data } = useQuery({ ...membersOptions(spaceId), refetchInterval: POLL_MS });
  const me = useSettings();
  const [removing, setRemoving] = useState<Member>();
  const isOwner = useIsOwner(spaceId);
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
            {isOwner && member.user_id !== me?.id && (
              <Button
                variant="plain"
                className="-mr-5"
                aria-label={words.removeNamed(nameOf(member))}
                onClick={() => setRemoving(member)}
              >
                {words.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {me?.display_name === null && (
        <div className="mt-3">
          <Note>{words.nameYourself}</Note>
        </div>
      )}
      {removing && <RemoveMember spaceId={spaceId} member={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

interface RemoveMemberProps {
  readonly spaceId: string;
  readonly member: Member;
  readonly onClose: () => void;
}

function RemoveMember({ spaceId, member, onClose }: RemoveMemberProps) {
  const name = nameOf(member);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/v1/spaces/{space_id}/members/{user_id}', {
          params: { path: { space_id: spaceId, user_id: member.user_id } },
        }),
      ),
    onSuccess: () => {
      showToast(words.removed(name));
      onClose();
      // Their tasks leave the space with them, and their invitations end.
      return refresh();
    },
  });
  return (
    <Sheet title={words.removeSure(name)} onClose={onClose}>
      <p className="mb-5 text-soft">{words.removeText}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="mt-3 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{strings.cancel}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {words.remove}
        </Button>
      </div>
    </Sheet>
  );
}

export function OpenInvites({ spaceId }: { readonly spaceId: string }) {
  const { data = [] } = useQuery(invitesOptions(spaceId));
  const me = useSettings()?.id;
  const isOwner = useIsOwner(spaceId);
  if (data.length === 0) return null;
  return (
    <Section title={words.openInvites} lead={words.openInvitesLead}>
      <ul>
        {data.map((invite) => (
          <InviteRow key={invite.id} invite={invite} mayRevoke={isOwner || invite.inviter_id === me} />
        ))}
      </ul>
    </Section>
  );
}

function InviteRow({ invite, mayRevoke }: { readonly invite: OpenInvite; readonly mayRevoke: boolean }) {
  const { id, space_id, inviter_id, invitee_contact, created_at, expires_at } = invite;
  const zone = useZone();
  const me = useSettings()?.id;
  const people = usePeople();
  const inviter = inviter_id === me ? strings.you : (people.get(inviter_id) ?? strings.today.someone);
  const title = invitee_contact ?? words.inviteByLink;
  const made = formatShortDate(created_at, zone);
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE('/v1/spaces/{space_id}/invites/{invite_id}', { params: { path: { space_id, invite_id: id } } }),
      ),
    onSuccess: () => showToast(words.revoked),
    onError: (error) => showToast(problemText(error)),
    onSettled: () => refetchInvites(space_id),
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 border-t border-line py-2 first:border-t-0">
      <p className="min-w-0 break-words">
        {title}
        <span className="block text-sm text-soft">
          {words.invitedBy(inviter, made, formatShortDate(expires_at, zone))}
        </span>
      </p>
      {mayRevoke && (
        <Button
          variant="plain"
          className="-mr-5 max-sm:-ml-5"
          busy={isPending}
          aria-label={words.revokeNamed(title, made)}
          onClick={() => mutate()}
        >
          {words.revoke}
        </Button>
      )}
    </li>
  );
}
