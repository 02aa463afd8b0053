/** Nudges on the screen of the device: shown as the service worded them, acted on for the occurrence they belong to. */
import { call } from '../api/call.ts';
import type { Deed } from '../data/deeds.ts';
import { kept } from '../data/kept.ts';
import { writeDown } from '../data/replay.ts';
import { strings } from '../strings.ts';
import { tellKept, tellLater } from './tell-kept.ts';
import { worker } from './worker-scope.ts';

const SNOOZE_MS = 3_600_000;
const ICON = '/app/icon-192.png';

interface NudgeData {
  readonly task_id?: string;
  readonly stage?: number;
  readonly occurrence_due_at?: string | null;
  readonly navigate?: string;
}

/** RFC 8030's declarative form, which Safari shows by itself and other browsers hand to us. */
interface Declared extends NotificationOptions {
  readonly title?: string;
  readonly navigate?: string;
  readonly data?: NudgeData;
}

export async function show(text: string | undefined): Promise<void> {
  const { title = strings.worker.fallbackTitle, navigate = '/app', data, ...options } = readDeclared(text);
  await worker.registration.showNotification(title, {
    ...{ icon: ICON, badge: ICON },
    ...options,
    data: { ...data, navigate },
  });
}

/** A push must always show something, or the browser takes the subscription away: even one that cannot be read. */
function readDeclared(text: string | undefined): Declared {
  try {
    return (JSON.parse(text ?? '') as { notification?: Declared }).notification ?? {};
  } catch {
    return {};
  }
}

export async function actOn({ data, title }: Notification, action: string): Promise<void> {
  const nudge = data as NudgeData;
  if (action === 'done') return doDeed('complete', nudge, title);
  if (action === 'snooze') return doDeed('snooze', nudge, title);
  await Promise.all([open(nudge.navigate ?? '/app'), acknowledge(nudge)]);
  return undefined;
}

/** Written down before it is told: what was pressed without a network is not lost. */
async function doDeed(kind: 'complete' | 'snooze', { task_id, occurrence_due_at = null }: NudgeData, title: string) {
  const userId = await kept.get<string>('cache', 'user');
  if (task_id === undefined || userId === undefined) return open('/app');
  const until = new Date(Date.now() + SNOOZE_MS).toISOString();
  const body = { occurrence_due_at, ...(kind === 'snooze' && { until }) };
  const deed: Deed = {
    ...{ key: crypto.randomUUID(), kind, userId, taskId: task_id, title, body },
    ...{ at: Date.now(), notBefore: 0 },
  };
  await writeDown(deed);
  const { refused, stoppedBy } = await tellKept();
  const refusal = refused.find((entry) => entry.deed.key === deed.key);
  if (refusal) {
    const failed = kind === 'complete' ? strings.worker.doneRefused : strings.worker.snoozeRefused;
    await worker.registration.showNotification(failed, {
      body: `${title}: ${refusal.words}`,
      tag: task_id,
      icon: ICON,
    });
  } else if (stoppedBy) {
    await tellLater();
    await worker.registration.showNotification(title, { body: strings.worker.kept, tag: task_id, icon: ICON });
  }
  return undefined;
}

async function open(address: string): Promise<void> {
  const url = new URL(address, location.origin);
  // Only ever into the app, whatever a push says.
  const target = url.origin === location.origin && url.pathname.startsWith('/app') ? url.href : '/app';
  const [page] = await worker.clients.matchAll({ type: 'window' });
  const shown = await page?.navigate(target).catch(() => null);
  if (shown) await shown.focus().catch(() => undefined);
  else await worker.clients.openWindow(target);
}

async function acknowledge({ task_id, stage }: NudgeData): Promise<void> {
  if (task_id === undefined || stage === undefined) return;
  await call('POST', '/v1/deliveries/ack', { task_id, stage }).catch(() => undefined);
}
