import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { spacesOptions, useSpaces } from '../data/people.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Sheet } from '../ui/sheet.tsx';

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

function NewSpace({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/spaces', { body: { name: name.trim() } })),
    onSuccess: async (space) => {
      await queryClient.invalidateQueries(spacesOptions);
      showToast(words.made(space.name));
      await navigate({ to: '/spaces/$spaceId', params: { spaceId: space.id } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.create} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label={words.name}
          required
          maxLength={200}
          value={name}
          problem={error ? problemText(error) : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" variant="primary" busy={isPending} disabled={name.trim() === ''}>
          {words.create}
        </Button>
      </form>
    </Sheet>
  );
}
