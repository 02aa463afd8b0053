import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, type Session, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { countQueuedActions } from '../data/action-queue.ts';
import { ownSessionOptions } from '../data/own-session.ts';
import { queryClient } from '../data/query-client.ts';
import { signOut } from '../data/session.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate, formatMoment } from '../time/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { NameField } from './name-field.tsx';

const { settings: words } = screenStrings;

const sessionsOptions = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => unwrap(api.GET('/v1/auth/sessions')),
});

const namesOptions = queryOptions({
  queryKey: ['session-names'],
  queryFn: () => unwrap(api.GET('/v1/auth/sessions/names')),
});

export function Sessions() {
  const { data = [] } = useQuery(sessionsOptions);
  const { data: names = [] } = useQuery(namesOptions);
  const { data: own } = useQuery(ownSessionOptions);
  const leave = useMutation({ mutationFn: signOut });
  const waiting = countQueuedActions(useSettings()?.id);
  const [renamed, setRenamed] = useState<RenamedSession>();
  return (
    <Section title={words.sessions} lead={words.sessionsLead}>
      <ul className="mb-4">
        {data.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            name={names.find(({ id }) => id === session.id)?.name ?? words.sessionUnnamed}
            isHere={own && session.id === own.id}
            onRename={setRenamed}
          />
        ))}
      </ul>
      {waiting > 0 && (
        <div className="mb-4">
          <Note>{words.signOutPending(waiting)}</Note>
        </div>
      )}
      <div className="flex flex-wrap gap-3">
        <Button icon="leave" busy={leave.isPending} onClick={() => leave.mutate()}>
          {words.signOut}
        </Button>
        <Link
          to="/settings/access"
          className="inline-flex min-h-11 items-center rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink"
        >
          {words.signOutEverywhere}
        </Link>
      </div>
      {renamed && <RenameSession session={renamed} onClose={() => setRenamed(undefined)} />}
    </Section>
  );
}

interface RenamedSession {
  readonly id: string;
  readonly name: string;
}

interface SessionRowProps {
  readonly session: Session;
  readonly name: string;
  /** Undefined until known. Only `false` shows the button, so that users do not sign themselves out by mistake. */
  readonly isHere: boolean | undefined;
  readonly onRename: (session: RenamedSession) => void;
}

function SessionRow({ session: { id, created_at, expires_at }, name, isHere, onRename }: SessionRowProps) {
  const zone = useZone();
  const since = formatMoment(created_at, zone, Date.now());
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/auth/sessions/{session_id}', { params: { path: { session_id: id } } })),
    onSuccess: () => {
      showToast(words.sessionGone);
      return queryClient.invalidateQueries(sessionsOptions);
    },
    onError: (error) => showToast(problemText(error)),
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 border-b border-line py-2 sm:flex-nowrap">
      <p className="min-w-0 flex-1">
        <span className="break-words">{name}</span>
        {isHere && <strong className="font-semibold"> · {words.sessionHere}</strong>}
        <span className="block text-sm text-soft">
          {[words.sessionSince(since), expires_at && words.sessionUntil(formatDate(expires_at, zone))]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </p>
      <IconButton icon="edit" label={words.renameSessionNamed(name, since)} onClick={() => onRename({ id, name })} />
      {isHere === false && (
        <div className="max-sm:basis-full">
          <Button
            variant="plain"
            className="-mr-5 max-sm:-ml-5"
            busy={isPending}
            aria-label={words.revokeSessionNamed(name, since)}
            onClick={() => mutate()}
          >
            {words.revokeSession}
          </Button>
        </div>
      )}
    </li>
  );
}

function RenameSession({
  session: { id, name: given },
  onClose,
}: {
  readonly session: RenamedSession;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(given);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH('/v1/auth/sessions/names/{session_id}', {
          params: { path: { session_id: id } },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: () => {
      showToast(screenStrings.passkeys.renamed);
      onClose();
      return queryClient.invalidateQueries(namesOptions);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.renameSession} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <NameField name={name} onChange={setName} />
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <Button type="submit" variant="primary" busy={isPending}>
          {screenStrings.passkeys.save}
        </Button>
      </form>
    </Sheet>
  );
}
