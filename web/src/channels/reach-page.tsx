/** What reaches the user, in the order in which it is used, and what else could. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel, ChannelKind, ChannelMade } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { alphabetical } from '../data/alphabetical.ts';
import { channelsOptions, kindsOptions, nameOfChannel, refetchReach, setFallback } from '../data/channels.ts';
import { devicesOptions } from '../data/devices.ts';
import { showToast } from '../data/toast.ts';
import { SoundSwitch } from '../nudges/sound-switch.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Select } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { AddChannel } from './add-channel.tsx';
import { ChangeChannel } from './change-channel.tsx';
import { ChannelRow } from './channel-row.tsx';
import { ConfirmChannel } from './confirm-channel.tsx';
import { Devices } from './device-list.tsx';
import { IfDown } from './if-down.tsx';
import { RequestMessages } from './request-messages.tsx';

const { reach: words } = screenStrings;
const WAITS = [1, 2, 3, 4, 5];

/** What is done in a sheet: adding a kind, or confirming or changing a channel. */
type Open =
  | { readonly sheet: 'add'; readonly kind: ChannelKind }
  | { readonly sheet: 'confirm'; readonly channel: Channel; readonly made?: ChannelMade }
  | { readonly sheet: 'change'; readonly channel: Channel };

export function ReachPage() {
  const channels = useQuery(channelsOptions);
  const kinds = useQuery(kindsOptions);
  const [open, setOpen] = useState<Open>();
  const error = channels.error ?? kinds.error;
  return (
    <Page title={strings.unreached.title} lead={words.lead} back={{ to: '/settings', label: words.back }}>
      {!(channels.data && kinds.data) &&
        (error ? <LoadError error={error} retry={() => void refetchAll()} /> : <Skeleton rows={3} tall />)}
      {channels.data && kinds.data && (
        <>
          {channels.data.reason && (
            <p className="mb-5 rounded-xl bg-danger-wash px-4 py-3 text-danger">
              {words.unreachable[channels.data.reason] ?? strings.unreached.none}
            </p>
          )}
          {channels.data.reachable && channels.data.unreached_stages.length > 0 && (
            <p className="mb-5 rounded-xl bg-danger-wash px-4 py-3 text-danger">
              {words.silentAt(channels.data.unreached_stages.map(strings.task.stageName).join(', ').toLowerCase())}
            </p>
          )}
          {channels.data.local_links && channels.data.channels.length > 0 && (
            <p className="mb-5 rounded-xl bg-sunk px-4 py-3 text-soft">{words.localLinks}</p>
          )}
          <Tiers
            list={channels.data.channels}
            minutes={channels.data.fallback_minutes}
            kinds={kinds.data}
            open={setOpen}
          />
          <IfDown nameOf={(id) => nameOf(channels.data.channels, kinds.data, id)} />
          <RequestMessages />
          <Kinds kinds={kinds.data} onAdd={(kind) => setOpen({ sheet: 'add', kind })} />
          <OpenSheet open={open} setOpen={setOpen} kinds={kinds.data} />
        </>
      )}
    </Page>
  );

  function refetchAll() {
    return Promise.all([channels.refetch(), kinds.refetch()]);
  }
}

interface TiersProps {
  readonly list: readonly Channel[];
  readonly minutes: number;
  readonly kinds: readonly ChannelKind[];
  readonly open: (open: Open) => void;
}

function Tiers({ list, minutes, kinds, open }: TiersProps) {
  const rows = (tier: number) =>
    list
      .filter((channel) => channel.tier === tier)
      .map((channel) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          kind={kindOf(kinds, channel)}
          onConfirm={() => open({ sheet: 'confirm', channel })}
          onChange={() => open({ sheet: 'change', channel })}
        />
      ));
  const { data: devices = [] } = useQuery(devicesOptions);
  const later = [...new Set(list.map(({ tier }) => tier))].filter((tier) => tier > 0).sort();
  // A tier without anything in it is not waited for.
  const isFirstUsed = devices.length > 0 || list.some(({ tier }) => tier === 0);
  const titleOf = (index: number) => {
    const waits = isFirstUsed ? index + 1 : index;
    return waits === 0 ? words.laterAtOnce : words.later(strings.time.minutes(waits * minutes));
  };
  return (
    <>
      <Section title={words.first} lead={words.firstLead}>
        <Devices />
        <ul className="mt-4 empty:hidden">{rows(0)}</ul>
        <SoundSwitch />
      </Section>
      {later.map((tier, index) => (
        <Section key={tier} title={titleOf(index)} lead={words.laterLead}>
          <ul>{rows(tier)}</ul>
        </Section>
      ))}
      {later.length > 0 && <Wait minutes={minutes} />}
    </>
  );
}

function Wait({ minutes }: { readonly minutes: number }) {
  const { mutate } = useMutation({
    mutationFn: setFallback,
    onSuccess: () => {
      showToast(strings.saved);
      return refetchReach();
    },
    onError: (error) => showToast(problemText(error)),
  });
  const choices = [...new Set([...WAITS, minutes])].sort((a, b) => a - b);
  return (
    <section className="card mb-5 p-5 sm:p-6">
      <Select
        label={words.wait}
        hint={words.waitHint}
        value={minutes}
        onChange={(event) => mutate(Number(event.target.value))}
      >
        {choices.map((count) => (
          <option key={count} value={count}>
            {strings.time.minutes(count)}
          </option>
        ))}
      </Select>
    </section>
  );
}

interface KindsProps {
  readonly kinds: readonly ChannelKind[];
  readonly onAdd: (kind: ChannelKind) => void;
}

function Kinds({ kinds, onAdd }: KindsProps) {
  return (
    <Section title={words.add} lead={kinds.length === 0 ? words.addNone : words.addLead} anchor="add">
      <ul className="grid gap-2.5">
        {alphabetical(kinds, ({ title }) => title).map((kind) => (
          <li key={kind.provider}>
            <button
              type="button"
              onClick={() => onAdd(kind)}
              className="flex w-full items-center justify-between gap-4 rounded-2xl border border-line px-4 py-3 text-left transition hover:border-strong-line hover:bg-sunk"
            >
              <span className="min-w-0">
                <span className="block font-semibold">{kind.title}</span>
                <span className="block text-sm text-soft">{kind.summary}</span>
              </span>
              <Icon name="plus" />
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface OpenSheetProps {
  readonly open: Open | undefined;
  readonly setOpen: (open: Open | undefined) => void;
  readonly kinds: readonly ChannelKind[];
}

function OpenSheet({ open, setOpen, kinds }: OpenSheetProps) {
  if (!open) return null;
  const close = () => setOpen(undefined);
  const goOn = (made: ChannelMade) => setOpen({ sheet: 'confirm', channel: made.channel, made });
  if (open.sheet === 'add') return <AddChannel kind={open.kind} onMade={goOn} onClose={close} />;
  const { channel } = open;
  const kind = kindOf(kinds, channel);
  if (open.sheet === 'change') return <ChangeChannel channel={channel} kind={kind} onMade={goOn} onClose={close} />;
  return kind && <ConfirmChannel channel={channel} kind={kind} made={open.made} onClose={close} />;
}

const kindOf = (kinds: readonly ChannelKind[], { provider }: Channel): ChannelKind | undefined =>
  kinds.find((kind) => kind.provider === provider);

function nameOf(channels: readonly Channel[], kinds: readonly ChannelKind[], id: string): string | undefined {
  const channel = channels.find((one) => one.id === id);
  return channel && nameOfChannel(channel, kindOf(kinds, channel));
}
