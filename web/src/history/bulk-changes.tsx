import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { refresh, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { type Bulk, joinBatches } from './join-batches.ts';

const { kept: words } = screenStrings;

const batchesOptions = queryOptions({
  queryKey: ['batches'],
  queryFn: () => unwrap(api.GET('/v1/batches')),
});

export const useBulkChanges = (): readonly Bulk[] => joinBatches(useQuery(batchesOptions).data ?? []);

/** One row for each bulk change of the last day, of the person or of an assistant. */
export function BulkChanges({ changes }: { readonly changes: readonly Bulk[] }) {
  if (changes.length === 0) return null;
  return (
    <Section title={words.bulk} lead={words.bulkLead}>
      <ul>
        {changes.map((change) => (
          <Row key={change.batchIds[0]} change={change} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ change: { as, at, batchIds, taskIds } }: { readonly change: Bulk }) {
  const zone = useZone();
  const now = useNow();
  const text = words.bulkRow(as, taskIds.length);
  const undo = useMutation({
    mutationFn: async () => {
      for (const batch_id of batchIds)
        await unwrap(api.POST('/v1/batches/{batch_id}/undo', { params: { path: { batch_id } } }));
    },
    onSuccess: () => showToast(strings.task.confirmation.reopen()),
    onError: (error) => showToast(problemText(error)),
    onSettled: refresh,
  });
  return (
    <li className="flex items-center gap-3 border-t border-line py-1 first:border-t-0">
      <div className="min-w-0 grow gap-3 sm:flex sm:items-center sm:justify-between">
        <p className="font-medium">{text}</p>
        <span className="shrink-0 text-sm text-soft">{formatMoment(at, zone, now)}</span>
      </div>
      <Button
        variant="plain"
        busy={undo.isPending}
        aria-label={screenStrings.history.undoNamed(text)}
        onClick={() => undo.mutate()}
      >
        {strings.undo}
      </Button>
    </li>
  );
}
