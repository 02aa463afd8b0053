/** What a person is told about the messages that are held for them. Pure. */
import type { Understudy, UnderstudyState } from '../db/tables/understudies.ts';
import type { Gateways } from '../push/gateway.ts';
import { LOOKED_AT_AGAIN, type UnderstudyContent } from './plan-understudies.ts';
import type { OwnChannel, Person } from './understudy-reports.store.ts';

/** `paused`: a pause is longer than messages are held. `not_held`: they should be, and the provider has none of them. */
export type ShownState = UnderstudyState | 'paused' | 'not_held';

export interface UnderstudyView {
  readonly state: ShownState;
  readonly channel_id: string | null;
  readonly reason: string | null;
  readonly horizon_seconds: number | null;
  readonly moved_at: Date | null;
  readonly held: { at: Date; kind: UnderstudyContent['kind']; task_id: string | null }[];
  readonly channels: { id: string; holds: string }[];
}

interface ViewFacts {
  readonly now: Date;
  readonly gateways: Gateways;
  readonly person: Person | undefined;
  readonly rows: readonly Understudy[];
  readonly channels: readonly OwnChannel[];
}

export function viewUnderstudies({ now, gateways, person, rows, channels }: ViewFacts): UnderstudyView {
  const isOn = Object.values(gateways).some((gateway) => gateway?.holds);
  const wanted = rows.filter(({ sounds_at }) => sounds_at !== null);
  const held = wanted.filter(({ held_until }) => held_until !== null && held_until > now);
  const moved = rows.flatMap(({ moved_at }) => (moved_at ? [moved_at.getTime()] : []));
  return {
    state: isOn ? stateOf(person, wanted.length, held.length) : 'off',
    channel_id: person?.channel_id ?? null,
    reason: findTrouble(wanted),
    horizon_seconds: person?.horizon_seconds ?? null,
    moved_at: moved.length > 0 ? new Date(Math.max(...moved)) : null,
    held: held.map(toHeld).toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    channels: channels.map((channel) => ({ id: channel.id, holds: isOn ? canHold(channel, gateways, wanted) : 'off' })),
  };
}

function stateOf(person: Person | undefined, wanted: number, held: number): ShownState {
  const state = person?.state ?? 'no_channel';
  if (state !== 'held' && state !== 'one') return state;
  if (wanted === 0) return 'paused';
  return held === 0 ? 'not_held' : state;
}

function toHeld({ held_until, content }: Understudy): UnderstudyView['held'][number] {
  const { kind = 'due', named = [] } = JSON.parse(content) as Partial<UnderstudyContent>;
  return { at: held_until ?? new Date(0), kind, task_id: (kind === 'task' && named[0]?.id) || null };
}

/** `yes`, or why not. */
function canHold(channel: OwnChannel, gateways: Gateways, wanted: readonly Understudy[]): string {
  const holds = gateways[channel.provider]?.holds;
  if (!holds) return 'not_the_kind';
  if (!channel.valid || channel.verified_at === null) return 'not_working';
  if (!holds.isElsewhere(channel.server)) return 'same_machine';
  const own = wanted.filter(({ channel_id }) => channel_id === channel.id);
  const isHeld = own.some(({ held_until }) => held_until !== null);
  return isHeld ? 'yes' : (findTrouble(own) ?? 'yes');
}

const findTrouble = (rows: readonly Understudy[]): string | null =>
  rows.find(({ error }) => error !== null && error !== LOOKED_AT_AGAIN)?.error ?? null;
