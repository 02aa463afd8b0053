import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import type { Person } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDay } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { LoadError, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Badge } from './badge.tsx';
import { peopleOptions } from './queries.ts';

const { admin: words } = screenStrings;

export const nameOf = ({ email, display_name }: Pick<Person, 'email' | 'display_name'>): string =>
  email ?? display_name ?? words.nameless;

export function People({ total }: { readonly total: number }) {
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim());
  const list = useInfiniteQuery({ ...peopleOptions(search), placeholderData: keepPreviousData });
  const people = list.data?.pages.flatMap((page) => page.people);
  return (
    <Section title={words.people(total)} lead={words.peopleLead}>
      <Field
        label={words.search}
        type="search"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {!people && (list.error ? <LoadError error={list.error} retry={() => void list.refetch()} /> : <Skeleton />)}
      {people?.length === 0 && <p className="mt-4 text-soft">{words.nobody}</p>}
      <ul className="mt-3 empty:hidden">
        {people?.map((person) => (
          <PersonRow key={person.id} person={person} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-4" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </Section>
  );
}

function PersonRow({ person }: { readonly person: Person }) {
  const zone = useZone();
  const { id, last_seen_at, open_tasks, working_targets } = person;
  const seen = last_seen_at === null ? words.neverSeen : words.seen(formatDay(last_seen_at, zone, Date.now()));
  const facts = [seen, words.openTasks(open_tasks), words.reached(working_targets)];
  return (
    <li className="border-b border-line last:border-b-0">
      <Link
        to="/settings/admin/people/$userId"
        params={{ userId: id }}
        className="-mx-2 flex items-center justify-between gap-3 rounded-xl px-2 py-3 hover:bg-sunk"
      >
        <span className="min-w-0">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{nameOf(person)}</span>
            <PersonBadges person={person} />
          </span>
          <span className="block text-sm text-soft">{facts.join(' · ')}</span>
        </span>
        <Icon name="arrow" className="size-4.5 shrink-0 text-soft" />
      </Link>
    </li>
  );
}

export const PersonBadges = ({ person }: { readonly person: Pick<Person, 'suspended_at' | 'admin'> }) => (
  <>
    {person.suspended_at !== null && <Badge tone="danger">{words.suspended}</Badge>}
    {person.admin !== null && <Badge tone="ember">{words.isAdmin}</Badge>}
  </>
);
