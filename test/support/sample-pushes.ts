/** Sample pushes for gateway tests. */
import type { NudgePush, Push, PushedTask, Target, TestPush } from '../../src/push/gateway.ts';
import type { Subscription } from './web-push-service.ts';

export const TASK: PushedTask = {
  id: '0197a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b',
  title: 'Take the pills',
  due: new Date('2026-03-02T09:00:00Z'),
  occurrenceDueAt: new Date('2026-03-02T09:00:00Z'),
  mustNotMiss: false,
  timezone: 'Europe/Berlin',
};

const EXPIRES_AT = new Date('2026-03-02T10:00:00Z');

export const PHONE: Target = {
  platform: 'android',
  token: 'dEvIcE:APA91b-registration-token',
  environment: 'production',
  keys: null,
};

export const browserOf = ({ endpoint, keys }: Subscription): Target => ({
  platform: 'web',
  token: endpoint,
  environment: 'production',
  keys,
});

export function nudgeOf(target: Target, stage = 0, task: Partial<PushedTask> = {}): NudgePush {
  const nudgedAt = new Date('2026-03-02T09:00:00Z');
  return { kind: 'nudge', target, task: { ...TASK, ...task }, stage, nudgedAt, expiresAt: EXPIRES_AT };
}

export const testPushOf = (target: Target): TestPush => ({ kind: 'test', target, expiresAt: EXPIRES_AT });

export const activityPushOf = (target: Target): Push => ({
  kind: 'activity_update',
  target,
  task: TASK,
  stage: 1,
  nudgedAt: new Date('2026-03-02T09:00:00Z'),
  isUrgent: true,
});

/** A signal that never fires. */
export const neverAborted = (): AbortSignal => new AbortController().signal;
