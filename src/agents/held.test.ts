import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask } from '../../test/support/fake-agent.ts';
import { checkMayRing, heldInWords, listedHold, ringAnyway, withHeld } from './held.ts';

const ASKED = '2026-03-05T22:30:00.000Z';
const COMES = '2026-03-06T06:00:00.000Z';
const late = fakeTask({ due_at: ASKED, next_fire_at: COMES });
const held = { wanted_at: ASKED, holds: ['quiet_hours'] };

test('a nudge that comes when it was asked for is not held, and one that comes later says what holds it', () => {
  const { agent } = fakeAgent(() => undefined);
  assert.deepEqual(withHeld(late, [held], agent).held, held);
  assert.equal(withHeld({ ...late, next_fire_at: ASKED }, [held], agent).held, undefined);
  assert.equal(withHeld(late, [{ ...held, holds: [] }], agent).held, undefined);
  assert.deepEqual(withHeld(late, undefined, agent).held, { wanted_at: ASKED, holds: [] });
  const overdue = fakeTask({ due_at: '2026-03-05T08:00:00.000Z', next_fire_at: COMES });
  assert.equal(withHeld(overdue, undefined, agent).held, undefined, 'its ladder goes on');
  assert.match(heldInWords({ ...late, held }, agent), /asked for: 2026-03-05T23:30\. If the user wants it then:/);
  const passed = { ...held, wanted_at: '2026-03-05T08:00:00.000Z' };
  assert.equal(heldInWords({ ...late, held: passed }, agent), ' It is held by quiet hours.');
});

test('a list names the hold that ends when the nudge comes', () => {
  const { agent } = fakeAgent(() => undefined, { quietHours: '22:00 to 07:00' });
  assert.equal(listedHold(late, agent), 'quiet hours');
  assert.equal(listedHold({ ...late, next_fire_at: '2026-03-08T23:00:00.000Z' }, agent), 'pause');
  assert.equal(listedHold({ ...late, next_fire_at: ASKED }, agent), null);
});

test('the first of the next nudges that is held rings at its own moment, and nothing changes if none is', async () => {
  const free = { wanted_at: '2026-03-05T12:00:00.000Z', holds: [] };
  for (const [moments, at] of [
    [[free, held], ASKED],
    [[free], undefined],
  ] as const) {
    const { agent, calls } = fakeAgent(({ path }) => ({ data: path.endsWith('/forecast') ? moments : {} }));
    await ringAnyway(agent, fakeTask({ due_at: free.wanted_at, next_fire_at: free.wanted_at }));
    assert.equal(calls.find(({ method }) => method === 'POST')?.payload.at, at);
  }
});

test('a token that may not go beyond the first stage may not break quiet hours', () => {
  const { agent } = fakeAgent(() => undefined);
  assert.throws(() => checkMayRing({ ...agent, ceiling: 1 }), /may not break quiet hours/);
  checkMayRing({ ...agent, ceiling: 2 });
  checkMayRing(agent);
});
