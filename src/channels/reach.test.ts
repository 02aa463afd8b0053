import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findReach } from './reach.ts';

const WORKING = { isConfigured: true, isConfirmed: true, isOff: false, isWorking: true, isPaused: false };

test('one target that works is enough, and otherwise the reason nearest to a way out is named', () => {
  const paused = { ...WORKING, isPaused: true };
  const dead = { ...WORKING, isWorking: false };
  assert.deepEqual(findReach([]), { reachable: false, reason: 'nothing_set_up' });
  assert.deepEqual(findReach([paused, dead, WORKING]), { reachable: true, reason: null });
  assert.deepEqual(findReach([dead, paused]), { reachable: false, reason: 'mail_paused' });
  assert.deepEqual(findReach([dead, { ...WORKING, isOff: true }]), { reachable: false, reason: 'switched_off' });
  assert.deepEqual(findReach([{ ...paused, isOff: true }]), { reachable: false, reason: 'switched_off' });
  assert.deepEqual(findReach([{ ...dead, isConfigured: false }]), { reachable: false, reason: 'not_configured' });
});
