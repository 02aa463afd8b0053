import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api, type TimelineEntry, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refresh, useZone } from '../data/sync.ts';
import { timelineOptions } from '../data/task-queries.ts';
import { showToast } from '../data/toast.ts';
import { stageColour } from '../ladder/stage-badge.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';

const { timeline: words } = screenStrings;

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
            {entry.before && <Replaced taskId={taskId} entry={entry} before={entry.before} />}
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

interface ReplacedProps {
  readonly taskId: string;
  readonly entry: TimelineEntry;
  readonly before: Readonly<Record<string, unknown>>;
}

/** What an edit replaced, and the button that puts it back. */
function Replaced({ taskId, entry, before }: ReplacedProps) {
  const restore = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/tasks/{task_id}/timeline/{entry_id}/restore', {
          params: { path: { task_id: taskId, entry_id: entry.id } },
        }),
      ),
    onSuccess: () => showToast(words.restored),
    onError: (error) => showToast(problemText(error)),
    onSettled: refresh,
  });
  const texts = [before.title, before.notes === null ? words.noNotes : before.notes].filter(
    (text) => typeof text === 'string',
  );
  return (
    <div className="mt-1 flex flex-wrap items-start gap-x-3 gap-y-1">
      {texts.length > 0 && (
        <p className="line-clamp-3 min-w-0 text-sm whitespace-pre-wrap text-soft">{words.before(texts.join(' · '))}</p>
      )}
      <Button
        variant="plain"
        busy={restore.isPending}
        aria-label={words.putBackNamed(fieldsOf(entry))}
        onClick={() => restore.mutate()}
      >
        {words.putBack}
      </Button>
    </div>
  );
}

const fieldsOf = ({ fields }: TimelineEntry) => fields.map((name) => words.fields[name] ?? name).join(', ');

const nameOf = (provider: string) => strings.detail.channels[provider] ?? provider;

function titleOf({ kind, stage, via }: TimelineEntry): string {
  if (kind === 'fell_back') return strings.detail.fellTo(nameOf(via ?? ''));
  const name = strings.detail.events[kind] ?? words.events[kind] ?? kind;
  return stage === null ? name : `${name}: ${strings.task.stageName(stage).toLowerCase()}`;
}

function detailOf(entry: TimelineEntry, zone: string, now: number): string {
  const { by, token_id, until, holds, reached, kind, via, since } = entry;
  if (kind === 'fell_back') {
    if (since === null) return strings.detail.failedBefore;
    const minutes = Math.round((Date.parse(entry.at) - Date.parse(since)) / 60_000);
    return strings.detail.unanswered(strings.time.minutes(minutes));
  }
  if (kind === 'missed') {
    const moment = (text: string | null) => (text === null ? '' : formatMoment(text, zone, now));
    return words.missed(entry.missed ?? 1, moment(entry.occurrence_due_at), moment(until));
  }
  const parts = [
    fieldsOf(entry),
    by === null ? '' : (strings.detail.by[by] ?? ''),
    token_id === null ? '' : strings.detail.byAgent,
    via === null ? '' : strings.detail.through(nameOf(via)),
    holds.map((hold) => strings.detail.held[hold]).join(', '),
    until === null ? '' : strings.detail.until(formatMoment(until, zone, now)),
    reached === null ? '' : (strings.detail.reached[reached] ?? reached),
  ];
  return parts.filter(Boolean).join(' · ');
}
