import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api, type Task, type TimelineEntry, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { usePeople } from '../data/people.ts';
import { refresh, useSettings, useZone } from '../data/sync.ts';
import { timelineOptions } from '../data/task-queries.ts';
import { showToast } from '../data/toast.ts';
import { stageColour } from '../ladder/stage-badge.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';

const { timeline: words } = screenStrings;

export function TimelineList({ task }: { readonly task: Task }) {
  const taskId = task.id;
  const nameOfActor = useActorNames(task);
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
              <span className="text-sm text-soft">{detailOf(entry, zone, now, nameOfActor)}</span>
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

/** An app that syncs by CalDAV, with a token of its own. */
const CALDAV = 'caldav';

function placeOf(via: string | null): string {
  if (via === CALDAV) return words.inAnotherApp;
  return via === null ? '' : strings.detail.through(nameOf(via));
}

function titleOf({ kind, stage, via, person_name }: TimelineEntry): string {
  if (kind === 'stand_in_told') return words.told(person_name ?? words.standIn);
  if (kind === 'fell_back') return strings.detail.fellTo(nameOf(via ?? ''));
  if (kind === 'understudy') return words.understudy(nameOf(via ?? ''));
  const name = strings.detail.events[kind] ?? words.events[kind] ?? kind;
  return stage === null ? name : `${name}: ${strings.task.stageName(stage).toLowerCase()}`;
}

const nameOfStandIn = (isMe: boolean, name: string | null) => (isMe ? strings.you : (name ?? words.standIn));

type ActorNames = (by: string, entry: TimelineEntry) => string;

/** Who did it, by name where the app knows it: "its owner" says nothing to people who know each other. */
function useActorNames({ owner_id, assigner_id }: Task): ActorNames {
  const people = usePeople();
  const me = useSettings()?.id;
  return (by, { person_id, person_name }) => {
    if (by === 'stand_in') return words.by(nameOfStandIn(person_id === me, person_name));
    const id = by === 'owner' ? owner_id : assigner_id;
    const name = id === me ? strings.you : id === null ? undefined : people.get(id);
    return name === undefined ? (strings.detail.by[by] ?? '') : words.by(name);
  };
}

function detailOf(entry: TimelineEntry, zone: string, now: number, nameOfActor: ActorNames): string {
  const { by, token_id, until, holds, reached, kind, via, since } = entry;
  if (kind === 'fell_back') {
    if (since === null) return strings.detail.failedBefore;
    const minutes = Math.round((Date.parse(entry.at) - Date.parse(since)) / 60_000);
    return strings.detail.unanswered(strings.time.minutes(minutes));
  }
  if (kind === 'understudy') return '';
  if (kind === 'missed') {
    const moment = (text: string | null) => (text === null ? '' : formatMoment(text, zone, now));
    return words.missed(entry.missed ?? 1, moment(entry.occurrence_due_at), moment(until));
  }
  const parts = [
    fieldsOf(entry),
    by === null ? '' : nameOfActor(by, entry),
    token_id === null || via === CALDAV ? '' : strings.detail.byAgent,
    placeOf(via),
    holds.map((hold) => strings.detail.held[hold]).join(', '),
    until === null ? '' : untilOf(kind, formatMoment(until, zone, now)),
    reached === null
      ? ''
      : (screenStrings.reach.silent[entry.unreached ?? ''] ?? strings.detail.reached[reached] ?? reached),
  ];
  return parts.filter(Boolean).join(' · ');
}

const untilOf = (kind: string, moment: string): string =>
  kind === 'rings_anyway' ? moment : strings.detail.until(moment);
