import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Channel, ChannelKind, ChannelMade, ChannelUpdate } from '../api/client.ts';
import { Problem, problemText } from '../api/problem.ts';
import { changeChannel, channelsOptions, nameOfChannel, refetchReach, removeChannel } from '../data/channels.ts';
import { queryClient } from '../data/query-client.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { Field, Note, Select, Switch } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { ChannelFields, type FieldValues, filledIn, isShownAtField } from './channel-fields.tsx';
import { Details } from './details.tsx';
import { choicesOfStages, stageKey } from './stages.ts';

const { reach: words } = screenStrings;

interface ChangeChannelProps {
  readonly channel: Channel;
  /** Undefined if the service no longer offers it. */
  readonly kind: ChannelKind | undefined;
  /** Called if the channel must be confirmed again, or the other side needs something new. */
  readonly onMade: (made: ChannelMade) => void;
  readonly onClose: () => void;
}

export function ChangeChannel(props: ChangeChannelProps) {
  const { channel, kind, onClose } = props;
  const [isRemoving, setRemoving] = useState(false);
  const name = nameOfChannel(channel, kind);
  return (
    <Sheet title={isRemoving ? words.removeSure(name) : name} onClose={onClose}>
      {isRemoving ? (
        <Remove id={channel.id} name={name} onKeep={() => setRemoving(false)} onClose={onClose} />
      ) : (
        <ChangeForm {...props} onRemove={() => setRemoving(true)} />
      )}
    </Sheet>
  );
}

function ChangeForm({ channel, kind, onMade, onClose, onRemove }: ChangeChannelProps & { onRemove(): void }) {
  const [draft, setDraft] = useState(() => draftOf(channel));
  const [fields, setFields] = useState<FieldValues>({});
  const isIncomplete = channel.state === 'incomplete';
  // Nobody types in an address that the provider reported, or the account's own.
  const ownFields = kind && kind.confirmation !== 'link' && !channel.automatic ? kind.fields : [];
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const typed = filledIn(fields);
      const send = (sent: FieldValues) => changeChannel(channel.id, changesOf(channel, draft, sent));
      const made = await send(typed).catch((error) => send(withEmptySecrets(ownFields, typed, error)));
      await refetchReach();
      return made;
    },
    onSuccess: (made) => {
      if (made.confirmation !== 'none' || made.set_up) return onMade(made);
      showToast(strings.saved);
      return onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {isIncomplete && (
        <>
          <p className="text-soft">{words.incompleteLead}</p>
          <ChannelFields fields={ownFields} values={fields} onChange={setFields} error={error} areRequired />
        </>
      )}
      <Field
        label={words.name}
        hint={words.nameHint(kind?.title ?? channel.provider)}
        maxLength={100}
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Select label={words.stages} value={draft.stages} onChange={(event) => set({ stages: event.target.value })}>
        {choicesOfStages(channel.stages).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Select>
      <Select label={words.order} value={draft.tier} onChange={(event) => set({ tier: Number(event.target.value) })}>
        {words.orders.map((text, tier) => (
          <option key={text} value={tier}>
            {text}
          </option>
        ))}
      </Select>
      <div>
        <Switch
          label={words.privateTitle}
          hint={words.privateHint}
          checked={draft.isPrivate}
          onChange={(isPrivate) => set({ isPrivate })}
        />
        <Switch label={words.enabled} checked={draft.isOn} onChange={(isOn) => set({ isOn })} />
      </div>
      {ownFields.length > 0 && !isIncomplete && (
        <Details summary={words.fields} isOpen={channel.state === 'needs_attention'}>
          <p className="text-sm text-soft">{words.fieldsHint}</p>
          <ChannelFields fields={ownFields} values={fields} onChange={setFields} error={error} areRequired={false} />
        </Details>
      )}
      {error && !isShownAtField(error, ownFields) && <Note tone="danger">{problemText(error)}</Note>}
      <div className="flex flex-wrap justify-between gap-2">
        {channel.automatic ? (
          <span />
        ) : (
          <Button variant="danger" icon="trash" onClick={onRemove}>
            {words.removeDo}
          </Button>
        )}
        <Button type="submit" variant="primary" busy={isPending}>
          {strings.save}
        </Button>
      </div>
    </form>
  );
}

interface Draft {
  readonly name: string;
  /** The stages, separated by commas. */
  readonly stages: string;
  readonly tier: number;
  readonly isPrivate: boolean;
  readonly isOn: boolean;
}

const draftOf = ({ name, stages, tier, private_title, state }: Channel): Draft => ({
  name: name ?? '',
  stages: stageKey(stages),
  tier,
  isPrivate: private_title,
  isOn: state !== 'off' || stages.length === 0,
});

/** Only what differs, because a channel that the service made follows its own rule until its user changes it. */
function changesOf(channel: Channel, draft: Draft, fields: FieldValues): ChannelUpdate {
  const before = draftOf(channel);
  const name = draft.name.trim();
  return {
    ...(name !== before.name && { name: name === '' ? null : name }),
    ...(draft.stages !== before.stages && { stages: draft.stages.split(',').map(Number) }),
    ...(draft.tier !== before.tier && { tier: draft.tier }),
    ...(draft.isPrivate !== before.isPrivate && { private_title: draft.isPrivate }),
    ...(draft.isOn !== before.isOn && { enabled: draft.isOn }),
    // Some kinds need none: without an address, the service invents one.
    ...((Object.keys(fields).length > 0 || channel.state === 'incomplete') && { fields }),
  };
}

/**
 * The secrets of one server are not sent to another. Only the service knows whether the typed server is another one: then
 * it asks for the secrets, and those that were not typed are left empty. Throws any other error.
 */
function withEmptySecrets(fields: ChannelKind['fields'], typed: FieldValues, error: unknown): FieldValues {
  const secrets = fields.filter(({ name, secret, required }) => secret && !required && typed[name] === undefined);
  const isMoved = fields.some(({ name, type }) => type === 'url' && typed[name] !== undefined);
  const isAsked = error instanceof Problem && secrets.some(({ name }) => error.fields[name] !== undefined);
  if (!isMoved || !isAsked) throw error;
  return { ...typed, ...Object.fromEntries(secrets.map(({ name }) => [name, ''])) };
}

interface RemoveProps {
  readonly id: string;
  readonly name: string;
  readonly onKeep: () => void;
  readonly onClose: () => void;
}

function Remove({ id, name, onKeep, onClose }: RemoveProps) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      await removeChannel(id);
      await refetchReach();
    },
    onSuccess: () => {
      // The account's own address stays in the list, switched off.
      const isLeft = queryClient.getQueryData(channelsOptions.queryKey)?.channels.some((channel) => channel.id === id);
      showToast(isLeft ? words.switchedOff(name) : words.removed(name));
      onClose();
    },
  });
  return (
    <>
      <p className="mb-5">{words.removeText}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onKeep}>{words.keep}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {words.removeDo}
        </Button>
      </div>
    </>
  );
}
