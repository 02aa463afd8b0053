import type { ActivityPush, NudgePush, PushedTask, Target } from '../../src/push/gateway.ts';

/** A device token as Apple issues them, a different one for each number. */
export const deviceToken = (number = 0) => number.toString(16).padStart(64, '0');

const target = (number: number, environment: Target['environment'] = 'production'): Target => ({
  platform: 'ios',
  token: deviceToken(number),
  environment,
  keys: null,
});

export const TASK: PushedTask = {
  id: '0190163d-8694-739b-aea5-966c26f8ad91',
  title: 'Take the medicine',
  due: new Date('2026-03-02T09:00:00Z'),
  occurrenceDueAt: new Date('2026-03-02T09:00:00.125Z'),
  mustNotMiss: false,
  timezone: 'Europe/Zurich',
};

const NUDGED_AT = new Date('2026-03-02T09:00:00Z');

export const nudgeTo = (number: number, environment?: Target['environment']): NudgePush => ({
  kind: 'nudge',
  target: target(number, environment),
  task: TASK,
  stage: 0,
  nudgedAt: NUDGED_AT,
  expiresAt: new Date('2026-03-02T09:15:00.900Z'),
});

export const nudgeOf = (task: Partial<PushedTask>, stage = 0): NudgePush => ({
  ...nudgeTo(0),
  task: { ...TASK, ...task },
  stage,
});

export const activityOf = (kind: ActivityPush['kind'], changes: Partial<ActivityPush> = {}): ActivityPush => ({
  kind,
  target: target(0),
  task: TASK,
  stage: 1,
  nudgedAt: NUDGED_AT,
  isUrgent: true,
  ...changes,
});
