import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { api, type Missed, type Outcome, type Stats, unwrap } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { LOCALE } from '../strings.ts';
import { firstWeekday } from '../time/date-customs.ts';
import { formatHours, formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Icon } from '../ui/icons.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { BulkChanges, useBulkChanges } from './bulk-changes.tsx';
import { DelaysChart, Ring, WeeksChart } from './charts.tsx';
import { RecentlyDropped } from './dropped.tsx';
import { countByDelay, countByWeek } from './figures.ts';

const { history: words } = screenStrings;
const MAX_OUTCOMES = 500;
const MAX_LISTED = 30;

const statsOptions = queryOptions({ queryKey: ['stats'], queryFn: () => unwrap(api.GET('/v1/stats')) });
const outcomesOptions = queryOptions({
  queryKey: ['outcomes'],
  queryFn: () => unwrap(api.GET('/v1/outcomes', { params: { query: { limit: MAX_OUTCOMES } } })),
});

const missedOptions = queryOptions({
  queryKey: ['outcomes', 'missed'],
  queryFn: () => unwrap(api.GET('/v1/outcomes/missed', { params: { query: { limit: MAX_OUTCOMES } } })),
});

export function History() {
  const stats = useQuery(statsOptions);
  const outcomes = useQuery(outcomesOptions);
  const bulk = useBulkChanges();
  const error = stats.error ?? outcomes.error;
  const isLoaded = stats.data && outcomes.data;
  return (
    <Page title={words.title} lead={words.lead}>
      <BulkChanges changes={bulk} />
      <RecentlyDropped inBulk={bulk} />
      {!isLoaded && error && (
        <LoadError error={error} retry={() => void Promise.all([stats.refetch(), outcomes.refetch()])} />
      )}
      {!isLoaded && !error && <Skeleton rows={3} tall />}
      {stats.data && outcomes.data && (
        <>
          <Figures stats={stats.data} />
          {outcomes.data.length === 0 && <EmptyState title={words.empty}>{words.emptyLead}</EmptyState>}
          {outcomes.data.length > 0 && <Charts outcomes={outcomes.data} />}
        </>
      )}
    </Page>
  );
}

const number = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent' });

function Figures({ stats }: { readonly stats: Stats }) {
  const { completion_rate, avg_hours_to_complete, nudges_sent } = stats;
  const counts = [
    [words.done, stats.done],
    [words.skipped, stats.skipped],
    [words.open, stats.open],
    [words.overdue, stats.overdue],
  ] as const;
  return (
    <section className="card mb-5 overflow-hidden">
      <dl className="grid grid-cols-4 divide-x divide-line border-b border-line text-center">
        {counts.map(([name, value]) => (
          <div key={name} className="flex flex-col-reverse px-1 py-4">
            <dt className="text-xs text-soft sm:text-sm">{name}</dt>
            <dd className="font-serif text-2xl sm:text-3xl">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="grid gap-px bg-line sm:grid-cols-3">
        <Figure
          name={words.rate}
          value={completion_rate === null ? words.none : percent.format(completion_rate)}
          note={words.rateNote}
        >
          {completion_rate !== null && <Ring share={completion_rate} />}
        </Figure>
        <Figure name={words.nudges} value={number.format(nudges_sent)} note={words.nudgesNote} />
        <Figure
          name={words.toComplete}
          value={avg_hours_to_complete === null ? words.none : formatHours(avg_hours_to_complete)}
          note={words.toCompleteNote}
        />
      </div>
    </section>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly children?: ReactNode;
}

const Figure = ({ name, value, note, children }: FigureProps) => (
  <div className="flex items-center justify-between gap-3 bg-card p-5">
    <div>
      <p className="text-sm text-soft">{name}</p>
      <p className="font-serif text-2xl">{value}</p>
      <p className="text-xs text-soft">{note}</p>
    </div>
    {children}
  </div>
);

function Charts({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  const zone = useZone();
  const now = useNow();
  const weeks = useMemo(() => countByWeek(outcomes, now, zone, firstWeekday()), [outcomes, now, zone]);
  const delays = useMemo(() => countByDelay(outcomes), [outcomes]);
  const { data: missed = [] } = useQuery(missedOptions);
  const missedById = useMemo(() => new Map(missed.map((one) => [one.id, one])), [missed]);
  return (
    <>
      <Section title={words.byWeek}>
        <WeeksChart weeks={weeks} zone={zone} />
      </Section>
      <Section title={words.delays} lead={words.delaysLead}>
        <DelaysChart counts={delays} />
      </Section>
      <Section title={words.latest}>
        <ul>
          {outcomes.slice(0, MAX_LISTED).map(({ id, task_id, title, outcome, recorded_at }) => (
            <li key={id} className="flex items-center gap-3 border-t border-line py-2 first:border-t-0">
              <Icon
                name={outcome === 'done' ? 'done' : 'skip'}
                className={`size-4.5 ${outcome === 'done' ? 'text-good' : 'text-stage-0'}`}
              />
              <div className="min-w-0 grow gap-3 sm:flex sm:items-center sm:justify-between">
                <Link
                  to="/tasks/$taskId"
                  params={{ taskId: task_id }}
                  className="line-clamp-2 underline-offset-4 hover:underline"
                >
                  {title}
                </Link>
                <MissedMeanwhile missed={missedById.get(id)} />
                <span className="sr-only">{outcome === 'done' ? words.done : words.skipped}</span>
                <span className="shrink-0 text-sm text-soft">{formatMoment(recorded_at, zone, now)}</span>
              </div>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function MissedMeanwhile({ missed }: { readonly missed: Missed | undefined }) {
  const zone = useZone();
  const now = useNow();
  if (!missed) return null;
  const [from, to] = [missed.missed_from, missed.missed_to].map((text) => formatMoment(text, zone, now));
  return <p className="text-sm text-stage-1">{words.missed(missed.missed, from ?? '', to ?? '')}</p>;
}
