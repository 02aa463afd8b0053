import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, read } from '../api/client.ts';
import { wordsOf } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { momentWords } from '../time/words.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { say } from '../ui/toast.tsx';

const { settings: words } = strings;

const feedOptions = queryOptions({ queryKey: ['calendar-feed'], queryFn: () => read(api.GET('/v1/me/calendar')) });
const reread = () => queryClient.invalidateQueries(feedOptions);

export function Calendar() {
  const zone = useZone();
  const { data: feed } = useQuery(feedOptions);
  const [address, setAddress] = useState<string>();
  const [isReplacing, setReplacing] = useState(false);
  const make = useMutation({
    mutationFn: () => read(api.POST('/v1/me/calendar')),
    onSuccess: ({ url }) => {
      setReplacing(false);
      setAddress(url);
      return reread();
    },
  });
  const stop = useMutation({
    mutationFn: () => read(api.DELETE('/v1/me/calendar')),
    onSuccess: () => {
      say(words.calendarStopped);
      return reread();
    },
  });
  const problem = make.error ?? stop.error;
  const readAt = feed?.last_read_at;
  return (
    <Section title={words.calendar} lead={words.calendarLead}>
      {feed?.active && (
        <p className="mb-4">
          {readAt ? words.calendarRead(momentWords(readAt, zone, Date.now())) : words.calendarUnread}
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        {feed?.active ? (
          <Button onClick={() => setReplacing(true)}>{words.calendarReplace}</Button>
        ) : (
          <Button busy={make.isPending} disabled={!feed} onClick={() => make.mutate()}>
            {words.calendarMake}
          </Button>
        )}
        {feed?.active && (
          <Button look="danger" busy={stop.isPending} onClick={() => stop.mutate()}>
            {words.calendarStop}
          </Button>
        )}
      </div>
      {problem && <Note tone="danger">{wordsOf(problem)}</Note>}
      {isReplacing && (
        <Sheet title={words.calendarReplace} onClose={() => setReplacing(false)}>
          <p className="mb-4 text-soft">{words.calendarReplaceLead}</p>
          <Button look="primary" className="w-full" busy={make.isPending} onClick={() => make.mutate()}>
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
      <Button look="primary" className="w-full" onClick={onClose}>
        {words.calendarKept}
      </Button>
    </Sheet>
  );
}
