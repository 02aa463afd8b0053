/**
 * Says why a task is not nudged now, and why a delivery of its last nudge is not sent. Pure.
 *
 * The mechanisms are asked in the order of `src/engine/why-not-now.md`, and the first one that says no is the answer.
 */
import type { DeliveryStatus, WaitsFor } from '../db/tables/deliveries.ts';
import { type NudgeTask, planNudge } from '../escalation/plan-nudge.ts';
import type { PlanSettings } from '../escalation/plan-settings.ts';

export interface Answer {
  /** The mechanism that delays, as `why-not-now.md` names it. */
  readonly mechanism: string;
  readonly says: string;
}

const answer = (mechanism: string, says: string): Answer => ({ mechanism, says });
const utc = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z');

/** Why the next nudge has not come yet. */
export function whyNoNudge(task: NudgeTask, settings: PlanSettings, now: Date): Answer {
  if (!task.isOpen) return answer('closed', 'The task is closed. A closed task is not nudged.');
  if (!task.isAccepted) return answer('request', 'The task is a request that its owner has not accepted.');
  if (settings.suspended_at !== null) return answer('suspension', 'The account is suspended.');
  const next = planNudge(task, settings, now);
  if (!next && task.step > 0) {
    return task.mode === 'escalate'
      ? answer('ladder ended', 'The ladder of the task has ended: its last nudge was the last one of this run.')
      : answer('notified once', 'The task notifies once, and has.');
  }
  if (!next) return answer('no date', 'The task has no due date and no snooze.');
  if (next.at > now && next.holds.length > 0) {
    const holds = next.holds.map((hold) => (hold === 'pause' ? 'the pause' : 'quiet hours')).join(' and ');
    return answer('hold', `The nudge was wanted at ${utc(next.wantedAt)}; ${holds} hold it until ${utc(next.at)}.`);
  }
  if (next.at > now) return answer('not due', `The next nudge comes at ${utc(next.at)}.`);
  return answer(
    'sweep',
    `The nudge is due since ${utc(next.at)}. An engine sends it when it runs and the account's turn has come.`,
  );
}

export interface ExplainedDelivery {
  readonly kind: string;
  readonly provider: string;
  readonly tier: number;
  readonly status: DeliveryStatus;
  readonly waits_for: WaitsFor | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly sent_at: Date | null;
}

const WAITS: Readonly<Record<WaitsFor, (delivery: ExplainedDelivery) => string>> = {
  tier: ({ tier, next_attempt_at }) =>
    `Tier ${tier} is used at ${utc(next_attempt_at)}, unless somebody answers before.`,
  budget: ({ next_attempt_at }) =>
    `The account is over its budget of deliveries; sent from ${utc(next_attempt_at)} on.`,
  hold: ({ next_attempt_at }) => `Quiet hours or a pause hold it; looked at again at ${utc(next_attempt_at)}.`,
  suspension: ({ next_attempt_at }) => `The account is suspended; looked at again at ${utc(next_attempt_at)}.`,
  capacity: () => 'It waits for a place at its provider. An engine sends it as soon as there is one.',
  retry: ({ attempts, reason, next_attempt_at }) =>
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} so far (${reason ?? 'no reason stored'}); ` +
    `the next one is at ${utc(next_attempt_at)}.`,
};

/** Why a delivery is not sent, or what became of it. */
export function whyNotSent(delivery: ExplainedDelivery, isConfigured: boolean, now: Date): Answer {
  const { status, waits_for, reason, next_attempt_at, sent_at } = delivery;
  if (status === 'sent') return answer('sent', `The provider took it${sent_at ? ` at ${utc(sent_at)}` : ''}.`);
  if (status === 'cancelled') return answer('cancelled', 'The task was dealt with or changed before it was sent.');
  if (status === 'superseded') return answer('superseded', 'A newer nudge has taken its place.');
  if (status !== 'pending') return answer('failed', `It failed for good: ${reason ?? 'no reason stored'}.`);
  if (!isConfigured) return answer('not configured', 'This service has no settings for its provider.');
  if (waits_for !== null) return answer(waits_for, WAITS[waits_for](delivery));
  return next_attempt_at > now
    ? answer('being sent', `A process is sending it; free for others at ${utc(next_attempt_at)}.`)
    : answer('being sent', 'The process that was sending it is gone. Another one sends it within seconds.');
}

/** Why a nudge has no delivery at all. `unreached` is the reason that was stored with it. */
export function whyNoDelivery(targets: number | null, unreached: string | null): Answer {
  if (targets !== 0) {
    return answer('budget', 'The account was so far over its budget of deliveries that this nudge was not sent.');
  }
  const why = unreached === null ? '' : ` (${unreached})`;
  return answer('no target', `No device and no channel of the owner took this nudge${why}.`);
}
