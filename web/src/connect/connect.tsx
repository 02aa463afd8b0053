/**
 * Where a person lets an assistant in. The service checks the request before this screen shows it, and again when it is
 * answered. Only a click leads out, to an address that the service has checked.
 */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { api, type ConnectionPreview, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { useSettings } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Wordmark } from '../ui/icons.tsx';
import { Skeleton } from '../ui/page.tsx';
import { setScreenTitle } from '../ui/tab-title.ts';
import { addedScopes, type ChosenRails, firstRails, RailsFields, toRails } from './rails.tsx';

const { connect: words } = screenStrings;

export function Connect() {
  const { query = '' } = useSearch({ from: '/connect' });
  const { data, error } = useQuery({
    queryKey: ['connection', query],
    queryFn: () => unwrap(api.POST('/v1/connections/preview', { body: { query } })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    meta: { secret: true },
  });
  useEffect(() => {
    setScreenTitle(strings.pageTitle(words.title));
  }, []);
  return (
    <main className="mx-auto min-h-dvh w-full max-w-lg px-4 py-8 sm:px-6 sm:py-14">
      <div className="mb-8">
        <Wordmark className="text-2xl" />
      </div>
      {error ? <Refused reason={problemText(error)} /> : data ? <Consent query={query} preview={data} /> : <Skeleton />}
    </main>
  );
}

function Refused({ reason }: { readonly reason: string }) {
  return (
    <>
      <h1 className="mb-4 text-3xl">{words.notPossible}</h1>
      <Note tone="danger">{reason}</Note>
      <p className="mt-4 text-soft">{words.notPossibleHint}</p>
      <Link to="/" className="mt-4 inline-flex min-h-11 items-center underline">
        {strings.detail.toToday}
      </Link>
    </>
  );
}

interface ConsentProps {
  readonly query: string;
  readonly preview: ConnectionPreview;
}

function Consent({ query, preview }: ConsentProps) {
  const [rails, setRails] = useState<ChosenRails>(() => firstRails(preview.scopes, preview.held));
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (agrees: boolean) =>
      unwrap(api.POST('/v1/connections', { body: { query, agrees, rails: toRails(rails, Date.now()) } })),
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const name = preview.client.name ?? words.nameless;
  const isForMore = addedScopes(preview.scopes, preview.held).length > 0;
  if (data) return <Leaving agreed={variables} name={name} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(true);
  };
  return (
    <form onSubmit={submit} className="grid gap-6">
      <h1 className="text-3xl [overflow-wrap:anywhere]">
        {isForMore ? words.headingForMore(name) : words.heading(name)}
      </h1>
      {isForMore && <p>{words.asksForMore}</p>}
      <WhoAsks preview={preview} name={name} />
      <RailsFields preview={preview} rails={rails} onChange={setRails} />
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="grid gap-2 sm:grid-cols-2">
        <Button
          type="submit"
          variant="primary"
          busy={isPending && variables}
          disabled={isPending || rails.scopes.length === 0}
        >
          {words.agree}
        </Button>
        <Button busy={isPending && !variables} disabled={isPending} onClick={() => mutate(false)}>
          {words.refuse}
        </Button>
      </div>
      <p className="text-sm text-soft">{words.takeBack}</p>
    </form>
  );
}

/** The assistant chose its name, so the page shows beside it what is verified. */
function WhoAsks({
  preview: { client, target },
  name,
}: {
  readonly preview: ConnectionPreview;
  readonly name: string;
}) {
  const email = useSettings()?.email;
  return (
    <div className="grid gap-3">
      <dl className="card grid gap-3 p-5">
        <Fact term={words.who}>
          {client.host === null ? (
            <span className="text-danger">{words.unverified(name)}</span>
          ) : (
            words.verified(client.host)
          )}
        </Fact>
        <Fact term={words.where}>{words.targets[target.kind](target.address)}</Fact>
        {email && <Fact term={words.account}>{email}</Fact>}
      </dl>
      {target.kind !== 'web' && <Note tone="danger">{words.startedByYou[target.kind]}</Note>}
    </div>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-soft">{term}</dt>
      <dd className="font-medium [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

/** An app on the device may open without this page going away. */
function Leaving({ agreed, name }: { readonly agreed: boolean; readonly name: string }) {
  return (
    <>
      <h1 className="mb-4 text-3xl">{agreed ? words.connected(name) : words.refused(name)}</h1>
      <p className="text-soft">{words.leaving}</p>
    </>
  );
}
