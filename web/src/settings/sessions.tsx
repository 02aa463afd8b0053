import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { api, read, type Session } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { countDeeds } from '../data/deed-book.ts';
import { queryClient } from '../data/query-client.ts';
import { signOut } from '../data/session.ts';
import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { dateWords, momentWords } from '../time/words.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { say } from '../ui/toast.tsx';

const { settings: words } = strings;

const sessionsOptions = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => read(api.GET('/v1/auth/sessions')),
});

/** The API shows sessions without saying whose call it is; the app's own door knows. */
const ownSessionOptions = queryOptions({
  queryKey: ['own-session'],
  queryFn: () => call<{ readonly id: string }>('GET', '/app/session'),
});

export function Sessions() {
  const { data = [] } = useQuery(sessionsOptions);
  const { data: own } = useQuery(ownSessionOptions);
  const leave = useMutation({ mutationFn: signOut });
  const waiting = countDeeds();
  return (
    <Section title={words.sessions} lead={words.sessionsLead}>
      <ul className="mb-4">
        {data.map((session) => (
          <SessionRow key={session.id} session={session} isHere={own && session.id === own.id} />
        ))}
      </ul>
      {waiting > 0 && (
        <div className="mb-4">
          <Note>{words.signOutPending(waiting)}</Note>
        </div>
      )}
      <Button icon="leave" busy={leave.isPending} onClick={() => leave.mutate()}>
        {words.signOut}
      </Button>
    </Section>
  );
}

interface SessionRowProps {
  readonly session: Session;
  /** Undefined while it is not known: nobody should sign themselves out by mistake. */
  readonly isHere: boolean | undefined;
}

function SessionRow({ session: { id, created_at, expires_at }, isHere }: SessionRowProps) {
  const zone = useZone();
  const since = momentWords(created_at, zone, Date.now());
  const { mutate, isPending } = useMutation({
    mutationFn: () => read(api.DELETE('/v1/auth/sessions/{session_id}', { params: { path: { session_id: id } } })),
    onSuccess: () => {
      say(words.sessionGone);
      return queryClient.invalidateQueries(sessionsOptions);
    },
    onError: (error) => say(wordsOf(error)),
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 border-b border-line py-2">
      <p>
        {words.sessionSince(since)}
        {isHere && <strong className="font-semibold"> · {words.sessionHere}</strong>}
        {expires_at && (
          <span className="block text-sm text-soft">{words.sessionUntil(dateWords(expires_at, zone))}</span>
        )}
      </p>
      {isHere === false && (
        <Button
          look="plain"
          className="-mr-5 max-sm:-ml-5"
          busy={isPending}
          aria-label={words.revokeSessionNamed(since)}
          onClick={() => mutate()}
        >
          {words.revokeSession}
        </Button>
      )}
    </li>
  );
}
