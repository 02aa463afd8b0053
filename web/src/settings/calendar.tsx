import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { settings: words } = screenStrings;

const feedOptions = queryOptions({ queryKey: ['calendar-feed'], queryFn: () => unwrap(api.GET('/v1/me/calendar')) });
const refetch = () => queryClient.invalidateQueries(feedOptions);

export function Calendar() {
  const zone = useZone();
  const { data: feed } = useQuery(feedOptions);
  const [address, setAddress] = useState<string>();
  const [isReplacing, setReplacing] = useState(false);
  const create = useMutation({
    mutationFn: () => unwrap(api.POST('/v1/me/calendar')),
    onSuccess: ({ url }) => {
      setReplacing(false);
      setAddress(url);
      return refetch();
    },
  });
  const stop = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/me/calendar')),
    onSuccess: () => {
      showToast(words.calendarStopped);
      return refetch();
    },
  });
  const problem = create.error ?? stop.error;
  const readAt = feed?.last_read_at;
  return (
    <Section title={words.calendar} lead={words.calendarLead}>
      {feed?.active && (
        <p className="mb-4">
          {readAt ? words.calendarRead(formatMoment(readAt, zone, Date.now())) : words.calendarUnread}
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        {feed?.active ? (
          <Button onClick={() => setReplacing(true)}>{words.calendarReplace}</Button>
        ) : (
          <Button busy={create.isPending} disabled={!feed} onClick={() => create.mutate()}>
            {words.calendarMake}
          </Button>
        )}
        {feed?.active && (
          <Button variant="danger" busy={stop.isPending} onClick={() => stop.mutate()}>
            {words.calendarStop}
          </Button>
        )}
      </div>
      {problem && <Note tone="danger">{problemText(problem)}</Note>}
      {isReplacing && (
        <Sheet title={words.calendarReplace} onClose={() => setReplacing(false)}>
          <p className="mb-4 text-soft">{words.calendarReplaceLead}</p>
          <Button variant="primary" className="w-full" busy={create.isPending} onClick={() => create.mutate()}>
            {words.calendarReplaceDo}
          </Button>
        </Sheet>
      )}
      {address !== undefined && <Address address={address} onClose={() => setAddress(undefined)} />}
    </Section>
  );
}

function Address({ address, onClose }: { readonly address: string; readonly onClose: () => void }) {
  return (
    <Sheet title={words.calendar} onClose={onClose} closable={false}>
      <div className="mb-4">
        <Note tone="good">{words.calendarOnce}</Note>
      </div>
      <CopyBox label={words.calendarAddress} text={address} />
      <Button variant="primary" className="w-full" onClick={onClose}>
        {words.calendarCopied}
      </Button>
    </Sheet>
  );
}
