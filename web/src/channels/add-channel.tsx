import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ChannelKind, ChannelMade } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { channelsOptions, createChannel, refetchReach } from '../data/channels.ts';
import { useSettings } from '../data/sync.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ChannelFields, type FieldValues, filledIn, isShownAtField } from './channel-fields.tsx';

const { reach: words } = screenStrings;

interface AddChannelProps {
  readonly kind: ChannelKind;
  readonly onMade: (made: ChannelMade) => void;
  readonly onClose: () => void;
}

export function AddChannel({ kind, onMade, onClose }: AddChannelProps) {
  const { provider, title, summary, fields } = kind;
  const ownAddress = useUnusedAddress();
  const [values, setValues] = useState<FieldValues>(() =>
    Object.fromEntries(fields.map(({ name, type }) => [name, type === 'email' ? ownAddress : ''])),
  );
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const made = await createChannel(provider, filledIn(values));
      // The next step finds the channel in the list.
      await refetchReach();
      return made;
    },
    onSuccess: onMade,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.addTitle(title)} onClose={onClose}>
      <p className="mb-5 text-soft">{summary}</p>
      <form onSubmit={submit} className="grid gap-4">
        <ChannelFields fields={fields} values={values} onChange={setValues} error={error} areRequired />
        {error && !isShownAtField(error, fields) && <Note tone="danger">{problemText(error)}</Note>}
        <Button type="submit" variant="primary" busy={isPending}>
          {words.goOn}
        </Button>
      </form>
    </Sheet>
  );
}

/** The account's address needs no confirmation, so it is proposed, unless it is a channel already. */
function useUnusedAddress(): string {
  const email = useSettings()?.email ?? '';
  const { data } = useQuery(channelsOptions);
  return data?.channels.some(({ label }) => label === email) ? '' : email;
}
