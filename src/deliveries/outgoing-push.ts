/** Builds pushes. The sweep and the outbox both use this file, so a retry looks like the first attempt. */
import type { Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { DeliveryKind } from '../db/tables/deliveries.ts';
import type {
  AnyPush,
  ChannelTarget,
  MessageLimits,
  Provider,
  Push,
  PushedTask,
  StandInFor,
  Target,
} from '../push/gateway.ts';
import { dueOf } from '../tasks/due.ts';

type Task = Selectable<Database['tasks']>;
type Device = Selectable<Database['devices']>;

export interface DeliveryKey {
  readonly entry_id: string;
  readonly target_id: string;
  readonly kind: DeliveryKind;
}

/** Who gets a push, and through which server: accounts take turns at a provider and at each of its servers. */
export interface Place {
  readonly recipientId: string;
  /** Null if the provider is one server. */
  readonly server: string | null;
}

export const placeOf = ({
  recipient_id,
  server,
}: Pick<Selectable<Database['deliveries']>, 'recipient_id' | 'server'>): Place => ({
  recipientId: recipient_id,
  server,
});

/** A delivery with everything needed to send it. */
export interface OutgoingPush extends Place {
  readonly key: DeliveryKey;
  readonly provider: Provider;
  /** Counted from 1. */
  readonly attempt: number;
  /** The moment of the nudge. */
  readonly createdAt: Date;
  readonly push: AnyPush;
}

/** Sends pushes from this process, as far as its gateways have capacity. */
export interface PushDispatcher {
  isConfigured(provider: Provider): boolean;
  /** The limits for messages of a channel's provider. */
  limitsOf(provider: Provider): MessageLimits | undefined;
  /** Whether the provider sends messages about requests, and is configured. */
  tellsRequests(provider: Provider): boolean;
  /** Reserves a place for one push. False if there is none for this owner, at the provider or at the server. */
  reserve(provider: Provider, place: Place): boolean;
  /** Returns a reserved place. */
  release(provider: Provider, place: Place): void;
  /** Sends pushes that a place was reserved for. */
  send(pushes: readonly OutgoingPush[]): void;
  /** Call this after deliveries of this provider were put into the outbox. */
  checkOutbox(provider: Provider): void;
}

/** The content that all pushes of one nudge share. */
export interface NudgeContent {
  readonly task: PushedTask;
  readonly stage: number;
  readonly nudgedAt: Date;
  readonly expiresAt: Date;
}

type ContentFields = 'id' | 'title' | 'due_at' | 'due_written' | 'has_time' | 'break_quiet_hours' | 'next_fire_at';

interface Nudge {
  readonly timezone: string;
  readonly stage: number;
  readonly nudgedAt: Date;
  /** The service's clock, and real time, which providers count by. */
  readonly now: Date;
  readonly wallNow: Date;
  readonly standInFor?: StandInFor | null;
}

export function contentOf(task: Pick<Task, ContentFields>, nudge: Nudge): NudgeContent {
  const { timezone, stage, nudgedAt, now, wallNow, standInFor = null } = nudge;
  return {
    task: {
      id: task.id,
      title: task.title,
      due: dueOf(task),
      occurrenceDueAt: task.due_at,
      mustNotMiss: task.break_quiet_hours,
      timezone,
      standInFor,
    },
    stage,
    nudgedAt,
    expiresAt: new Date(wallNow.getTime() + lifetimeMs(task.next_fire_at, now)),
  };
}

/** `isUrgent` is for Live Activities only: an update that shows nothing new does not use up Apple's hourly budget. */
export function buildPush(
  kind: Exclude<DeliveryKind, 'retract' | 'request' | 'request_retract'>,
  { expiresAt, ...shown }: NudgeContent,
  target: Target,
  isUrgent = true,
): Push {
  return kind === 'nudge' ? { kind, ...shown, target, expiresAt } : { kind, ...shown, target, isUrgent };
}

export const deviceTarget = (device: Pick<Device, 'platform' | 'token' | 'push_env' | 'keys'>): Target => ({
  platform: device.platform,
  token: device.token,
  environment: device.push_env,
  keys: device.keys === null ? null : JSON.parse(device.keys),
});

/** `token` is a push-to-start token, or the token of a running Live Activity. */
export const activityTarget = (token: string, environment: Target['environment']): Target => ({
  platform: 'ios',
  token,
  environment,
  keys: null,
});

/** `refs` are the references of the earlier messages of the run, newest first. */
export function buildChannelPush(
  { kind, entry_id: entryId }: Pick<DeliveryKey, 'kind' | 'entry_id'>,
  { task, stage, nudgedAt, expiresAt }: NudgeContent,
  target: ChannelTarget,
  refs: readonly string[],
): AnyPush {
  const about = { target, entryId, task, stage, refs };
  return kind === 'retract'
    ? { kind: 'channel_retract', ...about }
    : {
        kind: 'channel_nudge',
        ...about,
        nudgedAt,
        expiresAt,
        isLast: target.lastEntryId === entryId,
      };
}

/** Nobody has shown that it is theirs: a release took any 2xx of a webhook, or a browser's return, for a proof. */
export const isUnproven = ({ proven_by }: Pick<Selectable<Database['channels']>, 'proven_by'>): boolean =>
  proven_by === 'answer' || proven_by === 'return';

type StoredChannel = Pick<
  Selectable<Database['channels']>,
  'id' | 'user_id' | 'address' | 'address_hash' | 'private_title' | 'proven_by' | 'last_mail_entry_id'
>;

/** What links in messages know their address by. It is stored, so a rotation of the keys does not change it. */
export const addressIdOf = ({
  address,
  address_hash,
  email,
}: Pick<StoredChannel, 'address' | 'address_hash'> & { readonly email: string | null }): string =>
  address === null ? `${address_hash} ${email}` : address_hash;

export const channelTarget = (channel: StoredChannel & { readonly email: string | null }): ChannelTarget => ({
  channelId: channel.id,
  userId: channel.user_id,
  sealed: channel.address,
  email: channel.email,
  addressId: addressIdOf(channel),
  isPrivate: channel.private_title,
  isProven: !isUnproven(channel),
  lastEntryId: channel.last_mail_entry_id,
});

const SHORTEST_LIFETIME_MS = 15 * 60_000;
const LONGEST_LIFETIME_MS = 24 * 3_600_000;

/** While a phone is off, its provider keeps a nudge until the next one replaces it, and for a day at most. */
function lifetimeMs(nextAt: Date | null, now: Date): number {
  if (!nextAt) return LONGEST_LIFETIME_MS;
  return Math.min(LONGEST_LIFETIME_MS, Math.max(SHORTEST_LIFETIME_MS, nextAt.getTime() - now.getTime()));
}
