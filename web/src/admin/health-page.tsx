/** The health of the installation in words. What needs attention comes with what to do. */
import { useQuery } from '@tanstack/react-query';
import type { Health } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatDate, formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { Badge } from './badge.tsx';
import {
  type Finding,
  findBackup,
  findIfDown,
  findLag,
  findMail,
  findOlderProcesses,
  findOutage,
  findProvider,
} from './findings.ts';
import { healthOptions } from './queries.ts';

const { admin: words } = screenStrings;

export function HealthPage() {
  const { data, error, refetch, isFetching } = useQuery(healthOptions);
  const again = (
    <Button icon="repeat" busy={isFetching} onClick={() => void refetch()}>
      {words.again}
    </Button>
  );
  return (
    <Page
      title={words.health}
      lead={words.healthLead}
      back={{ to: '/settings/admin', label: words.title }}
      actions={data && again}
    >
      {!data && (error ? <LoadError error={error} retry={() => void refetch()} /> : <Skeleton rows={3} tall />)}
      {data && <Findings health={data} />}
    </Page>
  );
}

function Findings({ health }: { readonly health: Health }) {
  const zone = useZone();
  const now = Date.now();
  const { version, node, role, started_at, releases, database, engine } = health;
  // The first one is this process.
  const others = health.processes.slice(1);
  const first = releases[0] && formatDate(releases[0].first_started_at, zone);
  const backup = health.last_backup_at && formatMoment(health.last_backup_at, zone, now);
  const lastMoved = health.understudies.last_moved_at;
  const moved = lastMoved && formatMoment(lastMoved, zone, now);
  const [awayFrom = '', awayTo = ''] = health.last_outage
    ? [health.last_outage.from, health.last_outage.to].map((at) => formatMoment(at, zone, now))
    : [];
  return (
    <>
      <Section title={words.now}>
        <List
          findings={[
            ...findOlderProcesses(health),
            findLag(health),
            ...findOutage(health, awayFrom, awayTo),
            findMail(health),
            findBackup(health, backup, now),
            findIfDown(health, moved),
          ]}
        />
      </Section>
      <Section title={words.ways} lead={words.waysLead}>
        <List findings={health.providers.map(findProvider)} />
      </Section>
      <Section title={words.installation}>
        <ul className="grid gap-1.5">
          <li>{words.version(version, first)}</li>
          <li>{words.process(role, node, formatMoment(started_at, zone, now))}</li>
          <li>{words.engines(engine.processes)}</li>
          {others.map(({ role: other, release, started_at: since }) => (
            <li key={`${other} ${since}`}>{words.otherProcess(other, release, formatMoment(since, zone, now))}</li>
          ))}
          <li>{words.database(database.engine, database.size_bytes)}</li>
        </ul>
      </Section>
    </>
  );
}

const List = ({ findings }: { readonly findings: readonly Finding[] }) => (
  <ul>
    {findings.map(({ name, text, tone }) => (
      <li
        key={name}
        className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line py-2.5 last:border-b-0"
      >
        <p className="min-w-0 grow basis-40">
          <span className="font-medium">{name}</span>
          <span className="block text-sm text-soft">{text}</span>
        </p>
        {tone !== 'soft' && <Badge tone={tone}>{words.tones[tone]}</Badge>}
      </li>
    ))}
  </ul>
);
