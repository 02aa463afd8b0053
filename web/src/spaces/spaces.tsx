import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSpaces } from '../data/people.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { NewSpace } from './name-space.tsx';

const { spaces: words } = screenStrings;

export function Spaces() {
  const { data, error, refetch } = useSpaces();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
          {words.create}
        </Button>
      }
    >
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={3} />)}
      {data?.length === 0 && <EmptyState title={words.empty}>{words.emptyLead}</EmptyState>}
      <ul className="grid gap-3">
        {data?.map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/spaces/$spaceId"
              params={{ spaceId: id }}
              className="card flex min-h-18 items-center gap-4 px-5 transition hover:border-strong-line"
            >
              <span
                className="grid size-10 place-items-center rounded-full bg-ember-wash font-serif text-lg text-ember"
                aria-hidden="true"
              >
                {name.slice(0, 1).toUpperCase()}
              </span>
              <span className="min-w-0 grow font-medium">{name}</span>
              <Icon name="arrow" className="size-4.5 text-soft" />
            </Link>
          </li>
        ))}
      </ul>
      {isCreating && <NewSpace onClose={() => setCreating(false)} />}
    </Page>
  );
}
