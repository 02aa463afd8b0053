/**
 * Builds the pushes of messages about requests that were leased from the outbox. What was settled in the meantime is
 * not sent, and what runs into quiet hours or a pause waits for their end.
 */
import type { Db } from '../db/schema.ts';
import { releaseFrom } from '../escalation/holds.ts';
import type { AnyPush, ChannelTarget, Target } from '../push/gateway.ts';
import { dueOf } from '../tasks/due.ts';
import { isOldNews, isWanted, type RequestToTell } from '../tasks/requests/request-messages.ts';
import type { DeliveryResult } from './delivery-result.ts';
import { findStoppedMessages } from './last-messages.ts';
import { type Channel, listChannels } from './messages.store.ts';
import { type Delivery, listDevices } from './outbox.store.ts';
import { channelTarget, deviceTarget, type OutgoingPush, placeOf } from './outgoing-push.ts';
import type { OutboxParts, Prepared, Unsent } from './prepared-pushes.ts';
import { listReplacedRefs } from './request-messages.store.ts';
import { listRequestsToTell } from './requests-to-tell.ts';
import { LONGEST_ASKED_MS } from './retry-policy.ts';

const CHECK_HOLD_EVERY_MS = 30_000;
/** The next repeat replaces it after about a day. */
const LIFETIME_MS = 24 * 3_600_000;

const SETTLED = { status: 'cancelled', reason: 'settled' } as const;
const REMOVED = { status: 'failed_permanent', reason: 'target_removed' } as const;
const STOPPED = { status: 'failed_permanent', reason: 'mail_paused' } as const;

export const isAboutRequest = ({ kind }: Pick<Delivery, 'kind'>): boolean =>
  kind === 'request' || kind === 'request_retract';

export async function prepareRequestPushes(parts: OutboxParts, deliveries: readonly Delivery[]): Promise<Prepared> {
  const { db, limits, wallClock } = parts;
  const requests = await listRequestsToTell(
    db,
    deliveries.map(({ entry_id }) => entry_id),
  );
  const targets = await readTargets(db, deliveries);
  const isToSend = (delivery: Delivery) => {
    const request = requests.get(delivery.entry_id);
    return delivery.kind === 'request' && request !== undefined && !findObstacle(delivery, request, parts);
  };
  const stopped = limits
    ? await findStoppedMessages(db, deliveries.filter(isToSend), targets.channels, limits, wallClock.now())
    : new Set<Delivery>();
  const pushes: OutgoingPush[] = [];
  const unsent: Unsent[] = [];
  for (const delivery of deliveries) {
    const request = requests.get(delivery.entry_id);
    const target = request && findTarget(delivery, targets);
    const obstacle = stopped.has(delivery) ? STOPPED : request && findObstacle(delivery, request, parts);
    if (request && target && !obstacle) pushes.push(await toOutgoing(delivery, request, target, parts));
    else unsent.push({ key: delivery, ...placeOf(delivery), attempts: delivery.attempts, result: obstacle ?? REMOVED });
  }
  return { pushes, unsent };
}

type Device = Awaited<ReturnType<typeof listDevices>>[number];

interface Targets {
  readonly channels: Map<string, Channel>;
  readonly devices: ReadonlyMap<string, Device>;
}

async function readTargets(db: Db, deliveries: readonly Delivery[]): Promise<Targets> {
  const ids = [...new Set(deliveries.map(({ target_id }) => target_id))];
  const channels = await listChannels(db, ids);
  const devices = await listDevices(db, ids);
  return {
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    devices: new Map(devices.map((device) => [device.id, device])),
  };
}

/** Undefined if the channel or browser was removed, became invalid or belongs to somebody else by now. */
function findTarget({ target_id, recipient_id }: Delivery, targets: Targets): ChannelTarget | Target | undefined {
  const channel = targets.channels.get(target_id);
  if (channel) {
    const isUsable = channel.valid && channel.verified_at !== null && channel.user_id === recipient_id;
    return isUsable ? channelTarget(channel) : undefined;
  }
  const device = targets.devices.get(target_id);
  return device?.valid && device.user_id === recipient_id ? deviceTarget(device) : undefined;
}

function findObstacle(
  { kind }: Delivery,
  request: RequestToTell,
  { clock, clockSpeed = 1 }: OutboxParts,
): DeliveryResult | undefined {
  if (kind === 'request_retract') return undefined;
  const now = clock.now();
  if (!request.isTrue || !isWanted(request) || isOldNews(request.message, now)) return SETTLED;
  const endsAt = releaseFrom(now, false, request.recipient).at;
  const waitMs = Math.ceil((endsAt.getTime() - now.getTime()) / clockSpeed);
  if (waitMs <= 0) return undefined;
  const retryInMs = Math.min(CHECK_HOLD_EVERY_MS, waitMs, LONGEST_ASKED_MS);
  return { status: 'pending', waitsFor: 'hold', reason: 'held', retryInMs };
}

async function toOutgoing(
  delivery: Delivery,
  request: RequestToTell,
  target: ChannelTarget | Target,
  { db, wallClock }: OutboxParts,
): Promise<OutgoingPush> {
  const { entry_id, target_id, kind, provider, attempts, created_at: createdAt } = delivery;
  const push = toPush(delivery, request, target, await listReplacedRefs(db, delivery), wallClock.now());
  const key = { entry_id, target_id, kind };
  return { key, ...placeOf(delivery), provider, attempt: attempts + 1, createdAt, push };
}

function toPush(
  { entry_id: entryId, kind }: Delivery,
  request: RequestToTell,
  target: ChannelTarget | Target,
  refs: readonly string[],
  wallNow: Date,
): AnyPush {
  const { message, other, spaceName, recipient } = request;
  const task = {
    id: message.task_id,
    title: request.task.title,
    due: dueOf(request.task),
    occurrenceDueAt: request.task.due_at,
    mustNotMiss: false,
    timezone: recipient.timezone,
  };
  const news = { kind: message.kind, name: other.display_name, spaceName };
  const expiresAt = new Date(wallNow.getTime() + LIFETIME_MS);
  if (!('channelId' in target)) return { kind: 'request', target, task, news, expiresAt };
  if (kind === 'request_retract')
    return { kind: 'channel_retract', isRequest: true, target, entryId, task, stage: 0, refs };
  const isLast = target.lastEntryId === entryId;
  return { kind: 'channel_request', target, entryId, task, news, expiresAt, refs, isLast };
}
