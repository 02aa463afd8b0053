import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Passkey, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { queryClient } from '../data/query-client.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { usePasskeyPlace, whyNotHere } from '../passkeys/place.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatDate, formatMoment } from '../time/format.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { suggestedName } from '../ui/device-name.ts';
import { Note } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { NameField } from './name-field.tsx';

const words = { ...strings.passkeys, ...screenStrings.passkeys };

const passkeysOptions = queryOptions({ queryKey: ['passkeys'], queryFn: () => unwrap(api.GET('/v1/passkeys')) });
const refetch = () => queryClient.invalidateQueries(passkeysOptions);

export function Passkeys() {
  const { data = [] } = useQuery(passkeysOptions);
  const place = usePasskeyPlace();
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<Passkey>();
  return (
    <Section title={words.title} lead={words.lead}>
      {data.length > 0 && (
        <ul className="mb-4">
          {data.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onChange={() => setChanged(passkey)} />
          ))}
        </ul>
      )}
      {place === 'here' && (
        <Button icon="key" onClick={() => setAdding(true)}>
          {words.add}
        </Button>
      )}
      {place !== undefined && place !== 'here' && <Note>{whyNotHere(place)}</Note>}
      {isAdding && place === 'here' && <AddPasskey onClose={() => setAdding(false)} />}
      {changed && <ChangePasskey passkey={changed} onClose={() => setChanged(undefined)} />}
    </Section>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly onChange: () => void;
}

function PasskeyRow({ passkey: { name, created_at, last_used_at }, onChange }: PasskeyRowProps) {
  const zone = useZone();
  const used = last_used_at === null ? words.unused : words.used(formatMoment(last_used_at, zone, Date.now()));
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-2">
      <p className="min-w-0">
        <span className="font-medium break-words">{name}</span>
        <span className="block text-sm text-soft">{words.since(formatDate(created_at, zone), used)}</span>
      </p>
      <IconButton icon="edit" label={words.changeNamed(name)} onClick={onChange} />
    </li>
  );
}

function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState(suggestedName);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => (await import('../passkeys/ceremonies.ts')).addPasskey(name.trim()),
    onSuccess: () => {
      showToast(words.added);
      onClose();
      return refetch();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <Sheet title={words.add} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-soft">{words.addLead}</p>
        <NameField name={name} onChange={setName} />
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <Button type="submit" variant="primary" busy={isPending}>
          {words.proceed}
        </Button>
      </form>
    </Sheet>
  );
}

function ChangePasskey({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const params = { path: { passkey_id: passkey.id } };
  const closeWith = (text: string) => () => {
    showToast(text);
    onClose();
    return refetch();
  };
  const rename = useMutation({
    mutationFn: () => unwrap(api.PATCH('/v1/passkeys/{passkey_id}', { params, body: { name: name.trim() } })),
    onSuccess: closeWith(words.renamed),
  });
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/passkeys/{passkey_id}', { params })),
    onSuccess: closeWith(words.removed),
  });
  const error = rename.error ?? remove.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <Sheet title={passkey.name} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <NameField name={name} onChange={setName} />
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <Button type="submit" variant="primary" busy={rename.isPending}>
          {words.save}
        </Button>
        <p className="border-t border-line pt-4 text-sm text-soft">{words.removeLead}</p>
        <Button variant="danger" icon="trash" busy={remove.isPending} onClick={() => remove.mutate()}>
          {words.remove}
        </Button>
      </form>
    </Sheet>
  );
}
