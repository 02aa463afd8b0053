import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NudgePush } from '../push/gateway.ts';
import {
  activityTarget,
  buildChannelPush,
  buildPush,
  channelTarget,
  contentOf,
  deviceTarget,
  isUnproven,
} from './outgoing-push.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
/** Real time, when the clock of the service runs ahead. */
const WALL = new Date('2026-02-27T09:00:00Z');
const HOUR_MS = 3_600_000;

const TASK = {
  id: 'task',
  title: 'pills',
  due_at: NOW,
  due_written: '2026-03-02T09:00:00Z',
  has_time: true,
  break_quiet_hours: true,
  next_fire_at: null,
};
const NUDGE = { timezone: 'UTC', stage: 1, nudgedAt: NOW, now: NOW, wallNow: WALL };

test('while a phone is off, a nudge is kept until the next one: a quarter of an hour at least, a day at most', () => {
  const keptHours = (nextInHours: number | null) => {
    const next_fire_at = nextInHours === null ? null : new Date(NOW.getTime() + nextInHours * HOUR_MS);
    const { expiresAt } = contentOf({ ...TASK, next_fire_at }, NUDGE);
    return (expiresAt.getTime() - WALL.getTime()) / HOUR_MS;
  };
  assert.deepEqual([null, 48, 24, 3, 0.25, 0.1, -5].map(keptHours), [24, 24, 24, 3, 0.25, 0.25, 0.25]);
});

const CHANNEL = {
  id: 'channel',
  user_id: 'ada',
  address: 'sealed',
  address_hash: 'hash',
  private_title: true,
  proven_by: 'code' as const,
  last_mail_entry_id: 'last',
  email: 'ada@example.org',
};

test('only the message that was chosen says that it is the last, and a private channel stays private', () => {
  const target = channelTarget(CHANNEL);
  assert.deepEqual([target.isPrivate, target.isProven, target.email], [true, true, 'ada@example.org']);
  assert.equal(channelTarget({ ...CHANNEL, private_title: false }).isPrivate, false);
  const content = contentOf(TASK, NUDGE);
  const build = (kind: 'nudge' | 'retract', entry_id: string) =>
    buildChannelPush({ kind, entry_id }, content, target, ['earlier']);
  const isLast = (entryId: string) => {
    const push = build('nudge', entryId);
    return push.kind === 'channel_nudge' && push.isLast;
  };
  assert.deepEqual([isLast('last'), isLast('another')], [true, false]);
  const push = build('retract', 'last');
  assert.deepEqual([push.kind, 'refs' in push && push.refs], ['channel_retract', ['earlier']]);
});

test('a channel that a release took for confirmed, or a browser came back for, is not proven', () => {
  const proofs = ['answer', 'return', 'code', null] as const;
  assert.deepEqual(
    proofs.map((proven_by) => isUnproven({ proven_by } as Parameters<typeof isUnproven>[0])),
    [true, true, false, false],
  );
});

test('a Live Activity is updated with or without urgency, and a device gets its own keys', () => {
  const content = contentOf(TASK, NUDGE);
  const target = activityTarget('token', 'sandbox');
  const urgencies = [true, false].map((isUrgent) => buildPush('activity_update', content, target, isUrgent));
  assert.deepEqual(
    urgencies.map((push) => 'isUrgent' in push && push.isUrgent),
    [true, false],
  );
  const device = { platform: 'web', token: 'https://push.example/1', push_env: 'production', keys: '{"auth":"x"}' };
  const push = buildPush('nudge', content, deviceTarget(device as Parameters<typeof deviceTarget>[0])) as NudgePush;
  assert.deepEqual([push.target.keys, push.task.mustNotMiss, push.stage], [{ auth: 'x' }, true, 1]);
});
