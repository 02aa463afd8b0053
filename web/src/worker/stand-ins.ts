/**
 * The buttons of a stand-in's nudge, and of the question whether to stand in. They need the network: what fails is said,
 * and the buttons stay.
 */
import { call } from '../api/call.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { strings } from '../strings.ts';

declare const self: ServiceWorkerGlobalScope;

const SNOOZE_MS = 3_600_000;

export interface StandInData {
  /** Of a nudge about somebody else's task. */
  readonly stand_in?: boolean;
  readonly task_id?: string;
  readonly occurrence_due_at?: string | null;
  /** Of a question, or of the answer to one's own. */
  readonly stand_in_id?: string;
}

export const isForStandIn = ({ stand_in, stand_in_id }: StandInData): boolean =>
  stand_in === true || stand_in_id !== undefined;

/** Returns false if the press is no button of such a message. */
export async function actAsStandIn(notification: Notification, action: string): Promise<boolean> {
  const send = requestOf(notification.data as StandInData, action);
  if (send === undefined) return false;
  try {
    await send();
  } catch (error) {
    const { title, tag, icon, data, actions } = notification as Notification & { readonly actions?: readonly object[] };
    await self.registration.showNotification(title, {
      body: `${strings.worker.refused[kindOf(action)]}: ${problemText(error)}`,
      tag,
      icon,
      data,
      actions,
    } as NotificationOptions);
  }
  return true;
}

type Kind = keyof typeof strings.worker.refused;
const kindOf = (action: string): Kind => (action === 'done' ? 'complete' : (action as Kind));

function requestOf(data: StandInData, action: string): (() => Promise<unknown>) | undefined {
  const { task_id, occurrence_due_at = null, stand_in_id } = data;
  if (stand_in_id !== undefined) {
    if (action === 'accept') return () => call('POST', `/v1/stand-ins/${stand_in_id}/agree`, {});
    return action === 'decline' ? () => call('DELETE', `/v1/stand-ins/${stand_in_id}`) : undefined;
  }
  const path = `/v1/stand-in/tasks/${task_id}`;
  if (action === 'done') return () => call('POST', `${path}/complete`, { occurrence_due_at });
  return action === 'snooze' ? () => snooze(path, occurrence_due_at) : undefined;
}

async function snooze(path: string, occurrence_due_at: string | null): Promise<void> {
  const send = async (until: number) =>
    call('POST', `${path}/snooze`, { until: new Date(until).toISOString(), occurrence_due_at });
  const until = serviceNow() + SNOOZE_MS;
  try {
    await send(until);
  } catch (error) {
    // A worker that has just started learns from the answer that the service runs faster than real time.
    if (until >= serviceNow()) throw error;
    await send(serviceNow() + SNOOZE_MS);
  }
}

/** Who opens the nudge has seen it, as its owner would have. */
export const seeAsStandIn = ({ stand_in, task_id }: StandInData): Promise<unknown> | undefined =>
  stand_in ? call('POST', `/v1/stand-in/tasks/${task_id}/seen`).catch(() => undefined) : undefined;
