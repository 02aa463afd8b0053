/** Builds the pushes of deliveries that were leased from the outbox. */
import { releaseFrom, ringsAnyway } from '../escalation/holds.ts';
import { idFromWords } from '../lib/ids.ts';
import { type ChannelTarget, isDeviceProvider, type Provider, type Target } from '../push/gateway.ts';
import type { DeliveryResult } from './delivery-result.ts';
import { fallbackKey, insertFalls, listFallbackStates } from './fallback.store.ts';
import { findStoppedMessages } from './last-messages.ts';
import { type Channel, listChannels, listRefs } from './messages.store.ts';
import { type Delivery, listActivities, listDevices, listTasksToPush, type TaskToPush } from './outbox.store.ts';
import {
  activityTarget,
  buildChannelPush,
  buildPush,
  channelTarget,
  contentOf,
  deviceTarget,
  type OutgoingPush,
  placeOf,
} from './outgoing-push.ts';
import type { OutboxParts, Prepared, Unsent } from './prepared-pushes.ts';
import { type FindRecipient, findRecipients, type Recipient } from './recipients.ts';
import { isAboutRequest, prepareRequestPushes } from './request-pushes.ts';
import { LONGEST_ASKED_MS } from './retry-policy.ts';

/**
 * A hold may end early because a person changes a setting. This is how soon that is noticed, in real time. Each check
 * costs two commits, so a delivery that has waited for long is checked less often.
 */
const CHECK_HOLD_EVERY_MS = 30_000;
const CHECK_HOLD_PER_AGE = 1 / 4;

export async function preparePushes(
  parts: OutboxParts,
  provider: Provider,
  deliveries: readonly Delivery[],
): Promise<Prepared> {
  const { db } = parts;
  if (deliveries.some(isAboutRequest)) return prepareMixed(parts, provider, deliveries);
  const tasks = byId(await listTasksToPush(db, idsOf(deliveries, 'task_id')));
  const findRecipient = await findRecipients(db, deliveries, tasks);
  if (!isDeviceProvider(provider)) return prepareForChannels(parts, deliveries, tasks, findRecipient);
  const devices = byId(await listDevices(db, idsOf(deliveries, 'target_id')));
  const activities = byId(await listActivities(db, idsOf(deliveries.filter(isToActivity), 'target_id')));
  const pushes: OutgoingPush[] = [];
  const unsent: Unsent[] = [];
  for (const delivery of deliveries) {
    const { target_id, task_id } = delivery;
    const task = tasks.get(task_id);
    const recipient = task && findRecipient(delivery, task);
    const related = { task, recipient, device: devices.get(target_id), activity: activities.get(target_id) };
    const prepared = prepare(delivery, related, parts);
    if ('push' in prepared) pushes.push(prepared);
    else unsent.push(toUnsent(delivery, prepared));
  }
  return { pushes, unsent };
}

async function prepareMixed(
  parts: OutboxParts,
  provider: Provider,
  deliveries: readonly Delivery[],
): Promise<Prepared> {
  const requests = await prepareRequestPushes(parts, deliveries.filter(isAboutRequest));
  const others = await preparePushes(
    parts,
    provider,
    deliveries.filter((delivery) => !isAboutRequest(delivery)),
  );
  return { pushes: [...others.pushes, ...requests.pushes], unsent: [...others.unsent, ...requests.unsent] };
}

async function prepareForChannels(
  parts: OutboxParts,
  deliveries: readonly Delivery[],
  tasks: ReadonlyMap<string, TaskToPush>,
  findRecipient: FindRecipient,
): Promise<Prepared> {
  const channels = byId(await listChannels(parts.db, idsOf(deliveries, 'target_id')));
  const stopped = await findStopped(parts, deliveries, tasks, channels, findRecipient);
  const pushes: OutgoingPush[] = [];
  const unsent: Unsent[] = [];
  for (const delivery of deliveries) {
    const task = tasks.get(delivery.task_id);
    const recipient = task && findRecipient(delivery, task);
    const target = task && findChannelTarget(delivery, channels.get(delivery.target_id));
    const result = stopped.has(delivery) ? STOPPED : task && findObstacle(delivery, task, recipient, parts);
    if (task && target && !result) {
      pushes.push(toOutgoing(delivery, task, recipient, target, parts, await listRefs(parts.db, delivery)));
    } else unsent.push(toUnsent(delivery, (target && result) ?? CHANNEL_REMOVED));
  }
  const sent = new Set(pushes.map(({ key }) => idOf(key)));
  // The timeline is the owner's, and through what a stand-in is told is not for the owner to know.
  const isOwners = ({ task_id, recipient_id }: Delivery) => tasks.get(task_id)?.owner_id === recipient_id;
  await recordFalls(
    parts,
    deliveries.filter((delivery) => sent.has(idOf(delivery)) && isOwners(delivery)),
  );
  return { pushes, unsent };
}

const CHANNEL_REMOVED = { status: 'failed_permanent', reason: 'channel_removed' } as const;
/** Its recipient does not stand in any more. */
const NOT_TOLD = { status: 'cancelled', reason: 'no_stand_in' } as const;
/** The task was dealt with after the delivery was leased: a push would name the next occurrence. */
const OVERTAKEN = { status: 'cancelled', reason: 'task_changed' } as const;
const STOPPED = { status: 'failed_permanent', reason: 'mail_paused' } as const;

/** Nudges to owners who were told that no more come. A held nudge is checked later, since it may be cancelled first. */
async function findStopped(
  parts: OutboxParts,
  deliveries: readonly Delivery[],
  tasks: ReadonlyMap<string, TaskToPush>,
  channels: Map<string, Channel>,
  findRecipient: FindRecipient,
): Promise<ReadonlySet<Delivery>> {
  const { db, wallClock, limits } = parts;
  if (!limits) return new Set();
  const isToSend = (delivery: Delivery, task: TaskToPush | undefined) =>
    delivery.kind === 'nudge' &&
    task !== undefined &&
    !findObstacle(delivery, task, findRecipient(delivery, task), parts);
  const nudges = deliveries.filter((delivery) => isToSend(delivery, tasks.get(delivery.task_id)));
  return findStoppedMessages(db, nudges, channels, limits, wallClock.now());
}

const idOf = ({ entry_id, target_id }: Pick<Delivery, 'entry_id' | 'target_id'>) => `${entry_id} ${target_id}`;

/** Records in the timeline that a nudge fell to another tier, at its first attempt and before it is sent. */
async function recordFalls({ db, clock }: OutboxParts, deliveries: readonly Delivery[]): Promise<void> {
  const falls = deliveries.filter(
    ({ kind, attempts, fell_because }) => kind === 'nudge' && attempts === 0 && fell_because !== null,
  );
  if (falls.length === 0) return;
  const states = await listFallbackStates(db, idsOf(falls, 'task_id'));
  const at = clock.now();
  await insertFalls(
    db,
    falls.map(
      ({ entry_id, target_id, task_id, recipient_id, run, nudge, stage, provider, fell_because, created_at }) => ({
        id: idFromWords('fell_back', entry_id, target_id),
        task_id,
        owner_id: recipient_id,
        at,
        kind: 'fell_back',
        run,
        nudge,
        stage,
        via: provider,
        since:
          fell_because === 'failed'
            ? null
            : (states.get(fallbackKey(task_id, recipient_id))?.unansweredSince ?? created_at),
      }),
    ),
  );
}

/** Undefined if the channel was removed, switched off, or became invalid. */
function findChannelTarget({ recipient_id }: Delivery, channel: Channel | undefined): ChannelTarget | undefined {
  const isUsable = channel?.valid && channel.verified_at !== null && channel.user_id === recipient_id;
  return isUsable ? channelTarget(channel) : undefined;
}

type Device = Awaited<ReturnType<typeof listDevices>>[number];
type Activity = Awaited<ReturnType<typeof listActivities>>[number];

interface Related {
  readonly task: TaskToPush | undefined;
  readonly recipient: Recipient | undefined;
  readonly device: Device | undefined;
  readonly activity: Activity | undefined;
}

/** A delivery that cannot be read does not stop the others. */
function prepare(
  delivery: Delivery,
  { task, recipient, device, activity }: Related,
  parts: OutboxParts,
): OutgoingPush | DeliveryResult {
  try {
    const target = task && findTarget(delivery, device, activity);
    if (!task || !target) return { status: 'failed_permanent', reason: 'device_removed' };
    const isUnreadable = device?.platform !== 'web' && recipient?.readsTask === false;
    if (isUnreadable) return NOT_TOLD;
    return findObstacle(delivery, task, recipient, parts) ?? toOutgoing(delivery, task, recipient, target, parts);
  } catch (error) {
    const { task_id, target_id, kind, provider } = delivery;
    const about = { task_id, target_id, kind, provider, ...(task && { user_id: task.owner_id }) };
    parts.logger.error({ err: error, ...about }, 'building a push failed');
    return { status: 'failed_transient', reason: 'unsendable' };
  }
}

const isToActivity = ({ kind }: Delivery) => kind === 'activity_update' || kind === 'activity_end';

/** Undefined if the device was removed, became invalid or changed its owner, or the Live Activity has ended. */
function findTarget(delivery: Delivery, device?: Device, activity?: Activity): Target | undefined {
  if (isToActivity(delivery)) return activity?.token ? activityTarget(activity.token, activity.push_env) : undefined;
  if (!device?.valid || device.user_id !== delivery.recipient_id) return undefined;
  if (delivery.kind === 'nudge') return deviceTarget(device);
  return device.start_token === null ? undefined : activityTarget(device.start_token, device.push_env);
}

/**
 * What keeps a delivery from being sent now: its task was dealt with, or quiet hours or a pause hold it until their end.
 * Pushes that end or retract something are sent at any time.
 */
function findObstacle(
  { kind, run, created_at }: Delivery,
  task: TaskToPush,
  recipient: Recipient | undefined,
  { clock, clockSpeed = 1 }: OutboxParts,
): DeliveryResult | undefined {
  if (kind === 'activity_end' || kind === 'retract') return undefined;
  if (task.status !== 'open' || task.run !== run) return OVERTAKEN;
  if (!recipient) return NOT_TOLD;
  const { settings, mustNotMiss, ringsAnywayAt } = recipient;
  if (settings.suspended_at !== null) return untilLifted(recipient);
  const now = clock.now();
  if ([created_at, now].every((at) => ringsAnyway(ringsAnywayAt, at))) return undefined;
  const endsAt = releaseFrom(now, mustNotMiss, settings).at;
  // A check at a fraction of a millisecond would come at once, again and again.
  const waitMs = Math.ceil((endsAt.getTime() - now.getTime()) / clockSpeed);
  if (waitMs <= 0) return undefined;
  const ageMs = (now.getTime() - created_at.getTime()) / clockSpeed;
  const checkInMs = Math.max(CHECK_HOLD_EVERY_MS, ageMs * CHECK_HOLD_PER_AGE);
  return {
    status: 'pending',
    waitsFor: 'hold',
    reason: 'held',
    retryInMs: Math.min(checkInMs, waitMs, LONGEST_ASKED_MS),
  };
}

/** The ladder goes on when the suspension ends. A task that notifies once has no later nudge, so this one waits. */
function untilLifted({ waitsForSuspension }: Recipient): DeliveryResult {
  if (!waitsForSuspension) return { status: 'cancelled', reason: 'suspended' };
  // Suspensions last for days, and each check costs two commits. No delivery waits longer than this for its next check.
  return { status: 'pending', waitsFor: 'suspension', reason: 'suspended', retryInMs: LONGEST_ASKED_MS };
}

function toOutgoing(
  delivery: Delivery,
  task: TaskToPush,
  recipient: Recipient | undefined,
  target: Target | ChannelTarget,
  parts: OutboxParts,
  refs: readonly string[] = [],
): OutgoingPush {
  const { entry_id, target_id, kind, provider, stage, attempts, created_at: nudgedAt } = delivery;
  const [now, wallNow] = [parts.clock.now(), parts.wallClock.now()];
  const { timezone } = recipient?.settings ?? task;
  const standInFor = recipient?.standInFor ?? null;
  const content = contentOf(task, { timezone, stage, nudgedAt, now, wallNow, standInFor });
  const isChannel = 'channelId' in target || kind === 'retract';
  const push = isChannel
    ? buildChannelPush(delivery, content, target as ChannelTarget, refs)
    : buildPush(kind as Exclude<typeof kind, 'request' | 'request_retract'>, content, target);
  const { created_at: createdAt } = delivery;
  const key = { entry_id, target_id, kind };
  return { key, ...placeOf(delivery), provider, attempt: attempts + 1, createdAt, push };
}

const toUnsent = (delivery: Delivery, result: DeliveryResult): Unsent => ({
  key: delivery,
  ...placeOf(delivery),
  attempts: delivery.attempts,
  result,
});

const idsOf = (deliveries: readonly Delivery[], name: 'task_id' | 'target_id') => [
  ...new Set(deliveries.map((delivery) => delivery[name])),
];

const byId = <T extends { readonly id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
