/** Shows what the other side needs, and how to confirm the channel. Notices a confirmation that comes from elsewhere. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Channel, ChannelKind, ChannelMade } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { beginAgain, channelsOptions, nameOfChannel, refetchReach, verifyChannel } from '../data/channels.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Field, Note } from '../ui/field.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Sheet } from '../ui/sheet.tsx';

const { reach: words } = screenStrings;
const ASK_AGAIN_MS = 3_000;

interface ConfirmChannelProps {
  readonly channel: Channel;
  readonly kind: ChannelKind;
  /** The service's answer when the channel was made or changed; unknown if it is confirmed later. */
  readonly made: ChannelMade | undefined;
  readonly onClose: () => void;
}

export function ConfirmChannel({ channel, kind, made, onClose }: ConfirmChannelProps) {
  const again = useMutation({
    mutationFn: () => beginAgain(channel.id, kind),
    onSuccess: ({ sent }) => {
      if (sent === 'sent') showToast(words.codeSent);
      return refetchReach();
    },
  });
  const { set_up = null, link = null, sent = null } = again.data ?? made ?? {};
  const progress = useProgress(channel.id);
  const isWaiting = progress === 'waiting';
  const setUp = set_up ?? made?.set_up;
  return (
    <Sheet title={titleOf(channel, kind, isWaiting)} onClose={onClose} closable={!setUp}>
      <div className="grid gap-4">
        {setUp && <SetUp setUp={setUp} />}
        {link && isWaiting && <OpenLink link={link} lead={words.linkLead} label={words.linkOpen} />}
        {isWaiting && <Step channel={channel} kind={kind} sent={sent} hasLink={link !== null} />}
        <div aria-live="polite" className="grid gap-3 empty:hidden">
          {progress === 'confirmed' && <Note tone="good">{words.confirmed}</Note>}
          {progress === 'merged' && <Note tone="good">{words.connectedBefore}</Note>}
        </div>
        {again.error && <Note tone="danger">{problemText(again.error)}</Note>}
        <div className="flex flex-wrap justify-end gap-2">
          {isWaiting && !(setUp && kind.confirmation === 'answer') && (
            <Button busy={again.isPending} onClick={() => again.mutate()}>
              {AGAIN[kind.confirmation] ?? words.codeAgain}
            </Button>
          )}
          <Button variant={isWaiting ? 'plain' : 'primary'} onClick={onClose}>
            {isWaiting ? words.postpone : words.done}
          </Button>
        </div>
      </div>
    </Sheet>
  );
}

const AGAIN: Readonly<Record<string, string>> = { answer: words.answerAgain, link: words.linkAgain };

const titleOf = (channel: Channel, kind: ChannelKind, isWaiting: boolean) =>
  isWaiting ? words.confirmTitle(nameOfChannel(channel, kind)) : nameOfChannel(channel, kind);

/** A chat that was connected before keeps its channel, and the new one disappears. */
function useProgress(id: string): 'waiting' | 'confirmed' | 'merged' {
  const stateIn = (channels: readonly Channel[] | undefined) => channels?.find((channel) => channel.id === id)?.state;
  const { data } = useQuery({
    ...channelsOptions,
    refetchInterval: (query) => (stateIn(query.state.data?.channels) === 'unconfirmed' ? ASK_AGAIN_MS : false),
  });
  const state = stateIn(data?.channels);
  return state === undefined ? 'merged' : state === 'unconfirmed' ? 'waiting' : 'confirmed';
}

/** What the other side needs: `app` and `web` are links to open there, the rest is copied. */
function SetUp({ setUp: { app, web, ...rest } }: { readonly setUp: Readonly<Record<string, string>> }) {
  return (
    <div>
      {app && <OpenLink link={app} lead={words.appLead} label={words.appOpen} />}
      {web && (
        <p className="mb-4 text-center">
          <a href={web} {...ELSEWHERE} className="inline-flex min-h-11 items-center underline underline-offset-4">
            {words.webOpen}
          </a>
        </p>
      )}
      {Object.entries(rest).map(([name, value]) => (
        <CopyBox key={name} label={words.setUp[name] ?? name.replaceAll('_', ' ')} text={value} />
      ))}
      <p className="text-sm text-soft">{words.setUpOnce}</p>
    </div>
  );
}

const ELSEWHERE = { target: '_blank', rel: 'noopener noreferrer' };

interface OpenLinkProps {
  readonly link: string;
  readonly lead: string;
  readonly label: string;
}

function OpenLink({ link, lead, label }: OpenLinkProps) {
  return (
    <div className="mb-2">
      <p className="mb-4 text-soft">{lead}</p>
      <div className="mx-auto mb-4 aspect-square w-48">
        <QrCode text={link} label={words.qr} />
      </div>
      <a
        href={link}
        {...ELSEWHERE}
        className="flex min-h-11 items-center justify-center rounded-full bg-ember px-5 font-semibold text-on-ember hover:brightness-110"
      >
        {label}
      </a>
    </div>
  );
}

interface StepProps {
  readonly channel: Channel;
  readonly kind: ChannelKind;
  readonly sent: string | null;
  readonly hasLink: boolean;
}

function Step({ channel, kind, sent, hasLink }: StepProps) {
  if (kind.confirmation === 'answer') return <SendTest id={channel.id} />;
  if (kind.confirmation === 'link') return hasLink ? null : <p className="text-soft">{words.linkExpired}</p>;
  return (
    <>
      {sent !== null && sent !== 'sent' && <Note tone="danger">{sent}</Note>}
      {sent === 'sent' && <p className="text-soft">{words.codeLead(channel.label ?? kind.title)}</p>}
      {sent === null && <p className="text-soft">{words.codeWaiting}</p>}
      <CodeForm id={channel.id} />
    </>
  );
}

function CodeForm({ id }: { readonly id: string }) {
  const [code, setCode] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => verifyChannel(id, code.trim()),
    onSuccess: refetchReach,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={words.code}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={40}
        required
        value={code}
        problem={error ? problemText(error) : undefined}
        onChange={(event) => setCode(event.target.value)}
      />
      <Button type="submit" variant="primary" busy={isPending}>
        {words.codeSend}
      </Button>
    </form>
  );
}

function SendTest({ id }: { readonly id: string }) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => verifyChannel(id),
    onSettled: refetchReach,
  });
  return (
    <>
      <p className="text-soft">{words.answerLead}</p>
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <Button variant="primary" busy={isPending} onClick={() => mutate()}>
        {words.answerSend}
      </Button>
    </>
  );
}
