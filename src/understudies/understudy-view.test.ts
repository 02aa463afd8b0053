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

const shown = (changes: object = {}, rows: Parameters<typeof understudyRow>[1][] = [], gateways: object = {}) =>
  viewUnderstudies({
    now: NOW,
    gateways: { telegram: new FakeHolder(new FakeClock()), ...gateways },
    person: { ...person, ...changes },
    rows: rows.map((row) => understudyRow(channel, row)),
    channels: [channel, { ...channel, id: 'off', valid: false }, { ...channel, id: 'new', verified_at: null }],
  });

test('a person reads why nothing is held: nothing should be, or the provider has none of it', () => {
  assert.equal(shown().state, 'paused');
  assert.equal(shown({ state: 'no_channel' }).state, 'no_channel');
  assert.equal(shown({}, [{ sounds_at: AFTER }]).state, 'not_held');
  assert.equal(shown({ state: 'one' }, [{ sounds_at: AFTER, held_until: AFTER }]).state, 'one');
  assert.equal(shown({}, [{ sounds_at: AFTER, held_until: AFTER }], { telegram: undefined }).state, 'off');
  assert.equal(shown({}, [{ sounds_at: null, held_until: AFTER }]).held.length, 0, 'it is being taken back');
});

test('a trouble is told of what should be held, and waiting for the next look is none', () => {
  const failing = { sounds_at: AFTER, error: 'http_503' };
  const { reason, channels } = shown({}, [{ sounds_at: AFTER, error: 'looked_at_again' }, failing]);
  assert.equal(reason, 'http_503');
  assert.deepEqual(
    channels.map(({ holds }) => holds),
    ['http_503', 'not_working', 'not_working'],
  );
  assert.equal(shown({}, [{ ...failing, sounds_at: null }]).reason, null);
  assert.equal(shown({}, [{ ...failing, held_until: AFTER }]).channels[0]?.holds, 'yes');
});
