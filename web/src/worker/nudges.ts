/** Shows nudges as the service worded them. Their buttons act on the occurrence that the nudge belongs to. */
import { call } from '../api/call.ts';
import { serviceNow } from '../api/service-clock.ts';
import type { QueuedAction } from '../data/queued-action.ts';
import { randomId } from '../data/random-id.ts';
import { findSignedInUser } from '../data/signed-in-user.ts';
import { forgetRefusal, storeAction } from '../data/stored-actions.ts';
import { strings } from '../strings.ts';
import { replayQueue, requestBackgroundSync } from './background-sync.ts';
import { actAsStandIn, isForStandIn, type StandInData, seeAsStandIn } from './stand-ins.ts';

declare const self: ServiceWorkerGlobalScope;

const SNOOZE_MS = 3_600_000;
const ICON = '/app/icon-192.png';

interface NudgeData extends StandInData {
  readonly stage?: number;
  readonly navigate?: string;
}

/** Declarative Web Push (`web_push: 8030`): Safari shows it itself, other browsers pass it to the worker. */
interface DeclarativeNotification extends NotificationOptions {
  readonly title?: string;
  readonly navigate?: string;
  readonly data?: NudgeData;
}

export async function showNudge(text: string | undefined): Promise<void> {
  const { title = strings.worker.fallbackTitle, navigate = '/app', data, ...options } = parsePush(text);
  await self.registration.showNotification(title, {
    icon: ICON,
    badge: ICON,
    ...options,
    data: { ...data, navigate },
  });
}

/** Never throws, because a push that shows no notification makes browsers end the subscription. */
function parsePush(text: string | undefined): DeclarativeNotification {
  try {
    return (JSON.parse(text ?? '') as { notification?: DeclarativeNotification }).notification ?? {};
  } catch {
    return {};
  }
}

export async function handleClick(notification: Notification, action: string): Promise<void> {
  const { data, title } = notification;
  const nudge = data as NudgeData;
  if (isForStandIn(nudge)) {
    if (!(await actAsStandIn(notification, action)))
      await Promise.all([open(nudge.navigate ?? '/app'), seeAsStandIn(nudge)]);
    return undefined;
  }
  if (action === 'done') return runAction('complete', nudge, title);
  if (action === 'snooze') return runAction('snooze', nudge, title);
  if (action === 'accept' || action === 'decline') return runAction(action, nudge, title);
  await Promise.all([open(nudge.navigate ?? '/app'), acknowledge(nudge)]);
  return undefined;
}

type WorkerAction = 'complete' | 'snooze' | 'accept' | 'decline';

/** An answer to a request names no occurrence. */
function bodyFor(kind: WorkerAction, occurrence_due_at: string | null, until: number) {
  if (kind === 'accept' || kind === 'decline') return {};
  return { occurrence_due_at, ...(kind === 'snooze' && { until: new Date(until).toISOString() }) };
}

/** Stores the action before sending it, so that a button pressed offline is not lost. */
async function runAction(kind: WorkerAction, { task_id, occurrence_due_at = null }: NudgeData, title: string) {
  const userId = await findSignedInUser();
  if (task_id === undefined || userId === undefined) return open('/app');
  const act = async () => {
    const until = serviceNow() + SNOOZE_MS;
    const queued: QueuedAction = {
      key: randomId(),
      kind,
      userId,
      taskId: task_id,
      title,
      body: bodyFor(kind, occurrence_due_at, until),
      at: Date.now(),
      notBefore: 0,
    };
    await storeAction(queued);
    const { refused, stoppedBy } = await replayQueue();
    return { until, stoppedBy, refusal: refused.find(({ action }) => action.key === queued.key) };
  };
  let outcome = await act();
  // A worker that has just started learns from the answer that the service runs faster than real time.
  if (kind === 'snooze' && outcome.refusal && outcome.until < serviceNow()) {
    await forgetRefusal(outcome.refusal);
    outcome = await act();
  }
  const { refusal, stoppedBy } = outcome;
  if (refusal) {
    const failed = strings.worker.refused[kind];
    await self.registration.showNotification(failed, {
      body: `${title}: ${refusal.reason}`,
      tag: task_id,
      icon: ICON,
    });
  } else if (stoppedBy) {
    await requestBackgroundSync();
    await self.registration.showNotification(title, { body: strings.worker.savedOffline, tag: task_id, icon: ICON });
  }
  return undefined;
}

async function open(address: string): Promise<void> {
  const url = new URL(address, location.origin);
  // A push can only open pages of the app.
  const target = url.origin === location.origin && url.pathname.startsWith('/app') ? url.href : '/app';
  const [page] = await self.clients.matchAll({ type: 'window' });
  const opened = await page?.navigate(target).catch(() => null);
  if (opened) await opened.focus().catch(() => undefined);
  else await self.clients.openWindow(target);
}

async function acknowledge({ task_id, stage }: NudgeData): Promise<void> {
  if (task_id === undefined || stage === undefined) return;
  await call('POST', '/v1/deliveries/ack', { task_id, stage }).catch(() => undefined);
}
