/** Shows what the other side needs, and how to confirm the channel. Notices a confirmation that comes from elsewhere. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Channel, ChannelKind, ChannelMade } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import {
  changeChannel,
  channelsOptions,
  isToConfirm,
  isUnproven,
  makeAgain,
  nameOfChannel,
  refetchReach,
  verifyChannel,
} from '../data/channels.ts';
import { showToast } from '../data/toast.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy-box.tsx';
import { Field, Note, Switch } from '../ui/field.tsx';
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

export function ConfirmChannel({ channel: opened, kind, made, onClose }: ConfirmChannelProps) {
  const { channel, progress } = useProgress(opened);
  const again = useMutation({
    mutationFn: () => verifyChannel(channel.id),
    onSuccess: ({ sent }) => {
      if (sent === 'sent') showToast(words.codeSent);
      return refetchReach();
    },
  });
  const renew = useMutation({ mutationFn: (field: string) => makeAgain(channel.id, field), onSuccess: refetchReach });
  const { link = null, sent = null } = again.data ?? renew.data ?? made ?? {};
  const isWaiting = progress === 'waiting';
  const setUp = renew.data?.set_up ?? made?.set_up;
  const step = stepOf(channel, kind);
  const generated = isWaiting && !setUp && !isUnproven(channel) && kind.fields.find((field) => field.generated);
  const error = again.error ?? renew.error;
  return (
    <Sheet title={titleOf(channel, kind, isWaiting)} onClose={onClose} closable={!setUp}>
      <div className="grid gap-4">
        {setUp && <SetUp setUp={setUp} />}
        {link && isWaiting && step === 'link' && <OpenLink link={link} lead={words.linkLead} label={words.linkOpen} />}
        {isWaiting && <Step channel={channel} kind={kind} sent={sent} hasLink={link !== null} />}
        <div aria-live="polite" className="grid gap-3 empty:hidden">
          {progress === 'confirmed' && <Note tone="good">{words.confirmed}</Note>}
          {progress === 'merged' && <Note tone="good">{words.connectedBefore}</Note>}
        </div>
        <PrivateTitles channel={channel} made={made} />
        {error && <Note tone="danger">{problemText(error)}</Note>}
        <div className="flex flex-wrap justify-end gap-2">
          {generated && (
            <Button busy={renew.isPending} onClick={() => renew.mutate(generated.name)}>
              {words.makeAgain(generated.label)}
            </Button>
          )}
          {isWaiting && step !== 'answer' && (
            <Button busy={again.isPending} onClick={() => again.mutate()}>
              {step === 'link' ? words.linkAgain : words.codeAgain}
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

/** The service hides titles where it cannot know that the server is the person's own, so they are asked at once. */
function PrivateTitles({ channel, made }: Pick<ConfirmChannelProps, 'channel' | 'made'>) {
  const { mutate, error } = useMutation({
    mutationFn: (private_title: boolean) => changeChannel(channel.id, { private_title }),
    onSettled: refetchReach,
  });
  if (!made?.channel.private_title) return null;
  return (
    <div className="rounded-xl bg-sunk px-4 py-2">
      <Switch label={words.privateTitle} hint={words.privateWhy} checked={channel.private_title} onChange={mutate} />
      {error && <Note tone="danger">{problemText(error)}</Note>}
    </div>
  );
}

/** A link that brought an address with it is followed by a code. */
const stepOf = ({ label }: Channel, { confirmation }: ChannelKind): string =>
  confirmation === 'link' && label ? 'code' : confirmation;

const titleOf = (channel: Channel, kind: ChannelKind, isWaiting: boolean) =>
  isWaiting ? words.confirmTitle(nameOfChannel(channel, kind)) : nameOfChannel(channel, kind);

/** A chat that was connected before keeps its channel, and the new one disappears. */
function useProgress(opened: Channel): { channel: Channel; progress: 'waiting' | 'confirmed' | 'merged' } {
  const findIn = (channels: readonly Channel[] | undefined) => channels?.find(({ id }) => id === opened.id);
  const { data } = useQuery({
    ...channelsOptions,
    refetchInterval: (query) => {
      const channel = findIn(query.state.data?.channels);
      return channel && isToConfirm(channel) ? ASK_AGAIN_MS : false;
    },
  });
  const channel = findIn(data?.channels);
  if (!channel) return { channel: opened, progress: 'merged' };
  return { channel, progress: isToConfirm(channel) ? 'waiting' : 'confirmed' };
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
  const step = stepOf(channel, kind);
  if (step === 'answer') return <Challenge id={channel.id} />;
  if (step === 'link') return hasLink ? null : <p className="text-soft">{words.linkExpired}</p>;
  return (
    <>
      {sent !== null && sent !== 'sent' ? (
        <Note tone="danger">{sent}</Note>
      ) : (
        <p className="text-soft">{codeLead(channel, kind, sent !== null)}</p>
      )}
      <CodeForm id={channel.id} />
    </>
  );
}

/** The message that follows a link has no button. */
function codeLead({ label }: Channel, { confirmation, title }: ChannelKind, isSent: boolean): string {
  if (confirmation === 'link') return words.codeAfterLink;
  return isSent ? words.codeLead(label ?? title) : words.codeWaiting;
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

/** A server that cannot return the challenge has got a code with it, which its owner sees there. */
function Challenge({ id }: { readonly id: string }) {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => verifyChannel(id),
    onSettled: refetchReach,
  });
  const isCodeSent = data?.confirmation === 'code';
  return (
    <>
      <p className="text-soft">{isCodeSent ? words.answerCode : words.answerLead}</p>
      {isCodeSent && <CodeForm id={id} />}
      {error && <Note tone="danger">{problemText(error)}</Note>}
      <Button variant={isCodeSent ? 'plain' : 'primary'} busy={isPending} onClick={() => mutate()}>
        {isCodeSent ? words.codeAgain : words.answerSend}
      </Button>
    </>
  );
}
