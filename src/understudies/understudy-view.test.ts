import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { FakeHolder } from '../../test/support/fake-holder.ts';
import { understudyRow } from '../../test/support/stored-understudy.ts';
import { viewUnderstudies } from './understudy-view.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const AFTER = new Date('2026-03-02T10:00:00Z');
const channel = { id: 'channel', user_id: 'ada', provider: 'telegram', server: null, valid: true, verified_at: NOW };
const person = {
  user_id: 'ada',
  first_at: null,
  check_at: AFTER,
  state: 'held' as const,
  channel_id: 'channel',
  horizon_seconds: 3_600,
};

const view = (held_until: Date | null) =>
  viewUnderstudies({
    now: NOW,
    gateways: { telegram: new FakeHolder(new FakeClock()) },
    person,
    rows: [understudyRow(channel, { sounds_at: AFTER, held_until })],
    channels: [channel],
  });

test('a message is shown as held only while its provider holds it', () => {
  assert.deepEqual([view(AFTER).state, view(AFTER).held.length], ['held', 1]);
  for (const until of [null, NOW]) assert.deepEqual([view(until).state, view(until).held], ['not_held', []]);
});
