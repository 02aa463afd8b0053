/** Signing out everywhere: what outlives a session, with its dates, and one button that ends what is chosen. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Access, api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';

const { access: words, settings } = screenStrings;
/** What a thief made lately is chosen when the page opens. What is older was there before, and its owner was mailed. */
const FRESH_DAYS = 30;
const DAY_MS = 86_400_000;

const accessOptions = queryOptions({
  queryKey: ['access'],
  queryFn: () => unwrap(api.GET('/v1/me/access')),
  staleTime: 0,
});

type Kind = Access['kind'];
const KINDS = Object.keys(words.kinds) as Kind[];

export function AccessPage() {
  const { data, error, refetch } = useQuery(accessOptions);
  return (
    <Page title={settings.signOutEverywhere} lead={words.lead} back={{ to: '/settings', label: settings.title }}>
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={4} tall />)}
      {/* What was chosen belongs to this list. */}
      {data && <Ends key={data.map(({ id }) => id).join()} all={data} />}
    </Page>
  );
}

const isEndedById = ({ kind }: Access) => kind !== 'session' && kind !== 'identity';
const isFresh = ({ made_at }: Access) => Date.now() - Date.parse(made_at) < FRESH_DAYS * DAY_MS;

function Ends({ all }: { readonly all: readonly Access[] }) {
  const others = all.filter(({ kind, current }) => kind === 'session' && !current).length;
  const [endsSessions, setEndsSessions] = useState(others > 0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(all.filter((one) => isEndedById(one) && isFresh(one)).map(({ id }) => id)),
  );
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/me/access/end', { body: { sessions: endsSessions, ids: [...chosen] } })),
    onSuccess: ({ ended }) => {
      showToast(words.ended(ended));
      // Every other list of the settings may have changed.
      return queryClient.invalidateQueries();
    },
  });
  const count = chosen.size + (endsSessions ? others : 0);
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      {all.some((one) => isEndedById(one)) && <p className="mb-5 text-soft">{words.fresh(FRESH_DAYS)}</p>}
      {KINDS.map((kind) => {
        const ofKind = all.filter((one) => one.kind === kind);
        if (ofKind.length === 0) return null;
        return (
          <Section key={kind} title={words.kinds[kind]} {...(kind === 'identity' && { lead: words.identityLead })}>
            {kind === 'session' && <OtherSessions count={others} isChosen={endsSessions} onChoose={setEndsSessions} />}
            <ul>
              {ofKind.map((one) => (
                <AccessRow
                  key={one.id}
                  access={one}
                  isChosen={chosen.has(one.id)}
                  onChoose={isEndedById(one) ? (isChosen) => choose(one.id, isChosen) : undefined}
                />
              ))}
            </ul>
          </Section>
        );
      })}
      <div className="sticky bottom-24 grid gap-3 lg:bottom-6">
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <Button
          type="submit"
          variant="danger"
          icon="leave"
          className="shadow-float"
          busy={isPending}
          disabled={count === 0}
        >
          {count === 0 ? words.nothing : words.end(count)}
        </Button>
      </div>
    </form>
  );
}

interface OtherSessionsProps {
  readonly count: number;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

/** One choice for all of them: whoever fears a thief wants none of them to stay. */
function OtherSessions({ count, isChosen, onChoose }: OtherSessionsProps) {
  if (count === 0) return <p className="text-soft">{words.noOthers}</p>;
  return (
    <label className="flex min-h-11 items-center gap-3 font-medium">
      <input
        type="checkbox"
        className="size-5 shrink-0"
        checked={isChosen}
        onChange={(event) => onChoose(event.target.checked)}
      />
      {words.others(count)}
    </label>
  );
}

interface AccessRowProps {
  readonly access: Access;
  readonly isChosen: boolean;
  /** Undefined if it is not chosen one by one. */
  readonly onChoose: ((isChosen: boolean) => void) | undefined;
}

function AccessRow({
  access: { kind, name, detail, made_at, last_used_at, current },
  isChosen,
  onChoose,
}: AccessRowProps) {
  const zone = useZone();
  const dates = [words.made(formatDate(made_at, zone)), last_used_at && words.used(formatDate(last_used_at, zone))];
  const text = (
    <span className="min-w-0">
      <span className="break-words">{name ?? words.unnamed[kind]}</span>
      {detail && <span className="break-words text-soft"> · {words.platforms[detail] ?? detail}</span>}
      {current && <strong className="font-semibold"> · {settings.sessionHere}</strong>}
      <span className="block text-sm text-soft">{dates.filter(Boolean).join(' · ')}</span>
    </span>
  );
  return (
    <li className="border-b border-line py-2 last:border-b-0">
      {onChoose ? (
        <label className="flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            className="size-5 shrink-0"
            checked={isChosen}
            onChange={(event) => onChoose(event.target.checked)}
          />
          {text}
        </label>
      ) : (
        text
      )}
    </li>
  );
}
