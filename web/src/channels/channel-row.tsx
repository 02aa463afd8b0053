import { useMutation } from '@tanstack/react-query';
import type { Channel, ChannelKind } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { isToConfirm, isUnproven, nameOfChannel, refetchReach, testChannel } from '../data/channels.ts';
import { screenStrings } from '../screen-strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Note } from '../ui/field.tsx';
import { IfDownBadge, NotIfDown } from './if-down.tsx';
import { stageText } from './stages.ts';
import { StateBadge } from './state-badge.tsx';

const { reach: words } = screenStrings;

interface ChannelRowProps {
  readonly channel: Channel;
  readonly kind: ChannelKind | undefined;
  readonly onConfirm: () => void;
  readonly onChange: () => void;
}

export function ChannelRow({ channel, kind, onConfirm, onChange }: ChannelRowProps) {
  const { label, state, stages, private_title, automatic } = channel;
  const name = nameOfChannel(channel, kind);
  const named = label ? `${name} ${label}` : name;
  const test = useMutation({ mutationFn: () => testChannel(channel.id), onSettled: refetchReach });
  const facts = [automatic ? words.automatic : stageText(stages), private_title ? words.privateShort : ''].filter(
    Boolean,
  );
  const canTest = state === 'working' || state === 'needs_attention';
  return (
    <li className="border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-56">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{name}</span>
            <StateBadge state={state} />
            <IfDownBadge channelId={channel.id} />
          </p>
          {label && <p className="text-sm text-soft">{label}</p>}
          <p className="text-sm text-soft">{facts.join(' · ')}</p>
          {channel.provider === 'email' && <p className="text-sm text-soft">{words.mailRule}</p>}
          <NotIfDown channelId={channel.id} />
        </div>
        <div className="flex max-w-full flex-wrap items-center gap-1">
          {isToConfirm(channel) && kind && (
            <Button variant="primary" aria-label={words.confirmNamed(named)} onClick={onConfirm}>
              {words.confirm}
            </Button>
          )}
          {state === 'incomplete' && (
            <Button variant="primary" aria-label={words.completeNamed(named)} onClick={onChange}>
              {words.complete}
            </Button>
          )}
          {canTest && (
            <Button aria-label={words.testNamed(named)} busy={test.isPending} onClick={() => test.mutate()}>
              {words.test}
            </Button>
          )}
          <IconButton icon="edit" label={words.changeNamed(named)} onClick={onChange} />
        </div>
      </div>
      <div aria-live="polite" className="mt-2 grid gap-2 empty:hidden">
        {!test.data && <Attention channel={channel} />}
        {test.data?.status === 'sent' && <Note tone="good">{words.testSent}</Note>}
        {test.data && test.data.status !== 'sent' && (
          <Note tone="danger">{test.data.problem ?? words.unknownProblem}</Note>
        )}
        {test.error && <Note tone="danger">{problemText(test.error)}</Note>}
      </div>
    </li>
  );
}

/** The problem, unless the state says it already. */
function Attention({ channel }: { readonly channel: Channel }) {
  const { state, problem } = channel;
  if (state === 'not_configured') return <p className="text-sm text-soft">{words.notOffered}</p>;
  if (state === 'incomplete') return <p className="text-sm text-soft">{words.incompleteLead}</p>;
  if (state === 'off') return null;
  if (isUnproven(channel)) return <p className="text-sm text-soft">{words.notProven}</p>;
  if (!problem) return null;
  return <p className={`text-sm ${state === 'working' ? 'text-soft' : 'text-danger'}`}>{problem}</p>;
}
