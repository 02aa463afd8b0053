import { useInfiniteQuery } from '@tanstack/react-query';
import type { TimelineEntry } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { timelineOptions } from '../data/task-queries.ts';
import { stageColour } from '../ladder/stage-badge.tsx';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';

export function TimelineList({ taskId }: { readonly taskId: string }) {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(timelineOptions(taskId));
  const zone = useZone();
  const now = useNow();
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  if (entries.length === 0) return null;
  return (
    <section aria-labelledby="timeline" className="mt-8">
      <h2 id="timeline" className="mb-4 text-xl">
        {strings.detail.timeline}
      </h2>
      <ol className="ml-2 border-l border-line">
        {entries.map((entry) => (
          <li key={entry.id} className="relative pb-4 pl-6">
            <span
              className="absolute top-2 -left-[5px] size-2.5 rounded-full ring-4 ring-paper"
              style={{ background: entry.stage === null ? 'var(--color-strong-line)' : stageColour(entry.stage) }}
            />
            <p>
              <span className="font-medium">{titleOf(entry)}</span>{' '}
              <span className="text-sm text-soft">{detailOf(entry, zone, now)}</span>
            </p>
            <p className="text-sm text-soft">{formatMoment(entry.at, zone, now)}</p>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button variant="plain" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {strings.detail.more}
        </Button>
      )}
    </section>
  );
}

const nameOf = (provider: string) => strings.detail.channels[provider] ?? provider;

function titleOf({ kind, stage, via }: TimelineEntry): string {
  if (kind === 'fell_back') return strings.detail.fellTo(nameOf(via ?? ''));
  const name = strings.detail.events[kind] ?? kind;
  return stage === null ? name : `${name}: ${strings.task.stageName(stage).toLowerCase()}`;
}

function detailOf(entry: TimelineEntry, zone: string, now: number): string {
  const { by, token_id, until, holds, reached, kind, via, since } = entry;
  if (kind === 'fell_back') {
    if (since === null) return strings.detail.failedBefore;
    const minutes = Math.round((Date.parse(entry.at) - Date.parse(since)) / 60_000);
    return strings.detail.unanswered(strings.time.minutes(minutes));
  }
  const parts = [
    by === null ? '' : (strings.detail.by[by] ?? ''),
    token_id === null ? '' : strings.detail.byAgent,
    via === null ? '' : strings.detail.through(nameOf(via)),
    holds.map((hold) => strings.detail.held[hold]).join(', '),
    until === null ? '' : strings.detail.until(formatMoment(until, zone, now)),
    reached === null ? '' : (strings.detail.reached[reached] ?? reached),
  ];
  return parts.filter(Boolean).join(' · ');
}
