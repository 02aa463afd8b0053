/** On Today, after the service was away: when, and which tasks were announced late. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { api, type Outage, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refresh, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { formatDay, formatMoment, formatTime } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import { outageStrings as words } from './outage-strings.ts';

const MOST_SHOWN = 5;

const outagesOptions = queryOptions({
  queryKey: ['outages'],
  queryFn: () => unwrap(api.GET('/v1/me/outages')),
});

const dismiss = (outage_id: string) =>
  unwrap(api.DELETE('/v1/me/outages/{outage_id}', { params: { path: { outage_id } } }));

export function OutageCard() {
  const outages = useQuery(outagesOptions).data ?? [];
  const { mutate, isPending } = useMutation({
    mutationFn: () => Promise.all(outages.map(({ id }) => dismiss(id))),
    onError: (error) => showToast(problemText(error)),
    onSettled: refresh,
  });
  if (outages.length === 0) return null;
  return (
    <section aria-labelledby="outages" className="mb-8 rounded-3xl bg-ember-wash p-5">
      <h2 id="outages" className="text-xl">
        {words.title}
      </h2>
      {outages.map((outage) => (
        <Late key={outage.id} outage={outage} />
      ))}
      <Button className="mt-4" busy={isPending} onClick={() => mutate()}>
        {words.dismiss}
      </Button>
    </section>
  );
}

function Late({ outage: { from, to, count, tasks } }: { readonly outage: Outage }) {
  const zone = useZone();
  const now = useNow();
  const isOneDay = formatDay(from, zone, now) === formatDay(to, zone, now);
  const moment = (at: string) => (isOneDay ? formatTime(at, zone) : formatMoment(at, zone, now));
  const shown = tasks.slice(0, MOST_SHOWN);
  return (
    <>
      <p className="mt-1">{words.from(formatMoment(from, zone, now), moment(to))}</p>
      <ul className="mt-2 grid gap-1">
        {shown.map(({ id, title, planned_at, announced_via }) => (
          <li key={id}>
            <TaskLink taskId={id} className="font-medium wrap-anywhere">
              {title}
            </TaskLink>{' '}
            <span className="text-sm text-soft">
              {words.planned(moment(planned_at))}
              {announced_via && ` · ${words.announced(strings.detail.channels[announced_via] ?? announced_via)}`}
            </span>
          </li>
        ))}
        {count > shown.length && <li className="text-sm text-soft">{words.more(count - shown.length)}</li>}
      </ul>
    </>
  );
}
