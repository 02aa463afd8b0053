/** What reaches the user if the service is down, and how to get that. */
import { useQuery } from '@tanstack/react-query';
import type { Understudies } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { understudiesOptions } from '../data/understudies.ts';
import { screenStrings } from '../screen-strings.ts';
import { formatHours, formatMoment } from '../time/format.ts';
import { Section } from '../ui/section.tsx';

const { ifDown: words } = screenStrings.reach;

/** `nameOf` names a channel by its id. */
export function IfDown({ nameOf }: { readonly nameOf: (id: string) => string | undefined }) {
  const { data } = useQuery(understudiesOptions);
  const zone = useZone();
  if (!data || data.state === 'off') return null;
  const { channel_id, moved_at, horizon_seconds, held } = data;
  const name = (channel_id && nameOf(channel_id)) || words.channel;
  const now = Date.now();
  return (
    <Section title={words.title}>
      <p className={data.state === 'held' || data.state === 'one' ? undefined : 'text-soft'}>{sentence(data, name)}</p>
      {held[0] && moved_at && horizon_seconds !== null && (
        <p className="mt-2 text-sm text-soft">
          {words.facts(
            formatMoment(held[0].at, zone, now),
            formatMoment(moved_at, zone, now),
            formatHours(horizon_seconds / 3_600),
          )}
        </p>
      )}
    </Section>
  );
}

function sentence({ state, problem }: Understudies, name: string): string {
  if (state === 'not_held') return problem === null ? words.onItsWay(name) : words.refused(name, problem);
  return words.states[state]?.(name) ?? '';
}

interface OfChannel {
  readonly channelId: string;
}

/** Of the channel that tells the user if the service is down. Reads nothing itself. */
export function IfDownBadge({ channelId }: OfChannel) {
  const { data } = useQuery({ ...understudiesOptions, enabled: false });
  const isHolder = data?.channel_id === channelId && (data.state === 'held' || data.state === 'one');
  if (!isHolder) return null;
  return <span className="rounded-full bg-good-wash px-2.5 py-0.5 text-sm font-medium text-good">{words.badge}</span>;
}

/** Why a channel does not, if that can be changed. */
export function NotIfDown({ channelId }: OfChannel) {
  const { data } = useQuery({ ...understudiesOptions, enabled: false });
  const holds = data?.channels.find(({ id }) => id === channelId)?.holds ?? '';
  return words.whyNot[holds] && <p className="text-sm text-soft">{words.whyNot[holds]}</p>;
}
