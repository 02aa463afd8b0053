/** One account, in dates and counts, and what an administrator can do with it. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { PersonDetail } from '../api/client.ts';
import { useSynced, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate, formatTime } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Badge } from './badge.tsx';
import { type AdminAction, ConfirmSheet } from './confirm-sheet.tsx';
import { nameOf, PersonBadges } from './people-list.tsx';
import { endSessions, lift, personOptions, refetchAdmin, withdrawReset } from './queries.ts';

const { admin: words } = screenStrings;

export function PersonPage() {
  const { userId } = useParams({ from: '/inside/settings/admin/people/$userId' });
  const { data, error, refetch } = useQuery(personOptions(userId));
  return (
    <Page
      title={data ? nameOf(data) : words.person}
      lead={data && <PersonBadgeLine person={data} />}
      back={{ to: '/settings/admin', label: words.title }}
    >
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={3} tall />)}
      {data && (
        <>
          <Facts person={data} />
          <Reach person={data} />
          <Actions person={data} />
        </>
      )}
    </Page>
  );
}

const PersonBadgeLine = ({ person }: { readonly person: PersonDetail }) => (
  <span className="flex flex-wrap items-center gap-2">
    {person.email !== null && person.display_name}
    <PersonBadges person={person} />
  </span>
);

function Facts({ person }: { readonly person: PersonDetail }) {
  const zone = useZone();
  const { created_at, last_seen_at, suspended_at, tasks, sessions, tokens, admin } = person;
  const facts: (readonly [name: string, value: string])[] = [
    [words.facts.lastSeen, last_seen_at === null ? words.neverSeen : formatDate(last_seen_at, zone)],
    [words.facts.created, formatDate(created_at, zone)],
    [words.facts.tasks, words.taskCounts(tasks.open, tasks.done, tasks.skipped)],
    [words.facts.access, words.accessCounts(sessions, tokens)],
    [words.facts.factor, factorOf(person, zone)],
  ];
  if (admin !== null) facts.push([words.facts.admin, words.reasons[admin] ?? admin]);
  if (suspended_at !== null) facts.push([words.facts.suspended, formatDate(suspended_at, zone)]);
  return (
    <Section title={words.use} lead={words.useLead}>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[max-content_1fr]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-sm text-soft sm:text-base">{name}</dt>
            <dd className="max-sm:mb-2">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function factorOf({ mfa_enabled, second_factor_reset }: PersonDetail, zone: string): string {
  if (!second_factor_reset) return mfa_enabled ? words.on : words.off;
  const { due_at } = second_factor_reset;
  return words.offFrom(formatDate(due_at, zone), formatTime(due_at, zone));
}

const TONES = { working: 'good', waiting: 'ember', broken: 'danger' } as const;

function Reach({ person: { reach } }: { readonly person: PersonDetail }) {
  return (
    <Section title={words.reach}>
      {reach.length === 0 && <p className="text-soft">{words.reachNone}</p>}
      <ul>
        {reach.map(({ kind, state, count }) => (
          <li
            key={`${kind} ${state}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-2 last:border-b-0"
          >
            {words.target(words.kinds[kind] ?? kind, count)}
            <Badge tone={TONES[state]}>{words.states[state]}</Badge>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Actions({ person }: { readonly person: PersonDetail }) {
  const navigate = useNavigate();
  const { data: own } = useSynced();
  const [action, setAction] = useState<AdminAction>();
  const { id, sessions, suspended_at, mfa_enabled, second_factor_reset } = person;
  const withdraw = useMutation({
    mutationFn: () => withdrawReset(id),
    onSuccess: () => showToast(words.withdrawn),
    onSettled: refetchAdmin,
  });
  const end = useMutation({
    mutationFn: () => endSessions(id),
    onSuccess: ({ ended }) => showToast(words.ended(ended)),
    onSettled: refetchAdmin,
  });
  const free = useMutation({
    mutationFn: () => lift(id),
    onSuccess: () => showToast(words.lifted),
    onSettled: refetchAdmin,
  });
  if (own?.settings.id === id) return <Note>{words.self}</Note>;
  const done = async () => {
    setAction(undefined);
    // This page would read the deleted account again.
    if (action === 'delete') await navigate({ to: '/settings/admin', replace: true });
    await refetchAdmin();
  };
  return (
    <Section title={words.actions} lead={words.actionsLead}>
      <div className="flex flex-wrap gap-3">
        <Button icon="leave" disabled={sessions === 0} busy={end.isPending} onClick={() => end.mutate()}>
          {words.endSessions}
        </Button>
        {second_factor_reset && (
          <Button icon="shield" busy={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {words.withdraw}
          </Button>
        )}
        {mfa_enabled && !second_factor_reset && (
          <Button icon="shield" onClick={() => setAction('reset')}>
            {words.reset}
          </Button>
        )}
        {suspended_at === null ? (
          <Button icon="pause" onClick={() => setAction('suspend')}>
            {words.suspend}
          </Button>
        ) : (
          <Button icon="repeat" busy={free.isPending} onClick={() => free.mutate()}>
            {words.lift}
          </Button>
        )}
        <Button variant="danger" icon="trash" onClick={() => setAction('delete')}>
          {words.delete}
        </Button>
      </div>
      {action && (
        <ConfirmSheet action={action} person={person} onDone={() => void done()} onClose={() => setAction(undefined)} />
      )}
    </Section>
  );
}
