import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HOLDS, TASK as PLAIN_TASK } from '../../test/support/simulated-engine.ts';
import type { WaitsFor } from '../db/tables/deliveries.ts';
import type { NudgeTask } from '../escalation/plan-nudge.ts';
import type { PlanSettings } from '../escalation/plan-settings.ts';
import { type ExplainedDelivery, whyNoDelivery, whyNoNudge, whyNotSent } from './why-not-now.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const at = (time: string) => new Date(`2026-03-02T${time}:00Z`);

const TASK: NudgeTask = { ...PLAIN_TASK, due: at('12:00'), runStartedAt: at('08:00') };

test('the first mechanism that says no to a nudge is named', () => {
  const name = (task: Partial<NudgeTask>, settings: Partial<PlanSettings> = {}) =>
    whyNoNudge({ ...TASK, ...task }, { ...NO_HOLDS, ...settings }, NOW).mechanism;
  const quiet = { quiet_hours_start: '11:00', quiet_hours_end: '13:00' };
  assert.equal(name({ isOpen: false, isAccepted: false }), 'closed');
  assert.equal(name({ isAccepted: false }, { suspended_at: NOW }), 'request');
  assert.equal(name({ due: null }, { suspended_at: NOW }), 'suspension');
  assert.equal(name({ due: null }), 'no date');
  assert.equal(name({ mode: 'notify_once', step: 1, lastNudgeAt: at('09:00') }), 'notified once');
  const ended = { rungs: [{ after: 0, stage: 0 }], end: null };
  assert.equal(name({ ladder: ended, step: 1, lastNudgeAt: at('09:00') }), 'ladder ended');
  assert.equal(name({}), 'not due');
  assert.equal(name({}, quiet), 'hold');
  assert.equal(name({ mustNotMiss: true }, quiet), 'not due');
  assert.equal(name({ due: at('09:00') }), 'sweep');
});

const DELIVERY: ExplainedDelivery = {
  kind: 'nudge',
  provider: 'ntfy',
  tier: 0,
  status: 'pending',
  waits_for: null,
  reason: null,
  attempts: 1,
  next_attempt_at: at('10:05'),
  sent_at: null,
};

test('a delivery says what it waits for, or what became of it', () => {
  const name = (delivery: Partial<ExplainedDelivery>, isConfigured = true) =>
    whyNotSent({ ...DELIVERY, ...delivery }, isConfigured, NOW).mechanism;
  const waits: readonly WaitsFor[] = ['tier', 'budget', 'hold', 'suspension', 'capacity', 'retry'];
  assert.deepEqual(
    waits.map((waits_for) => name({ waits_for })),
    waits,
  );
  assert.equal(name({}), 'being sent');
  assert.equal(name({ waits_for: 'retry' }, false), 'not configured');
  assert.deepEqual(
    (['sent', 'cancelled', 'superseded', 'failed_transient', 'failed_permanent'] as const).map((status) =>
      name({ status }),
    ),
    ['sent', 'cancelled', 'superseded', 'failed', 'failed'],
  );
  assert.match(whyNotSent({ ...DELIVERY, waits_for: 'retry', reason: 'http_503' }, true, NOW).says, /http_503.*10:05/);
  assert.deepEqual(
    [whyNoDelivery(0, 'enough_today').mechanism, whyNoDelivery(2, null).mechanism],
    ['no target', 'budget'],
  );
});
