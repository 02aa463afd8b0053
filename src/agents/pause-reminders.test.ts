import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent } from '../../test/support/fake-agent.ts';
import { pauseReminders } from './pause-reminders.ts';

/** What is sent for this call, and the answer. It is Thursday, 5 March 2026, 10:00. */
async function pause(input: object, paused_until: string | null = null, planned_pause: object | null = null) {
  const { agent, calls } = fakeAgent(({ method, path }) => {
    if (method !== 'GET') return { data: {} };
    return { data: path === '/v1/me' ? { paused_until, keep_must_not_miss: true } : { planned_pause } };
  });
  const { text } = await pauseReminders.run(agent, input);
  const sent = calls.filter(({ method }) => method !== 'GET');
  return { text, sent: sent.map(({ method, path, payload }) => [`${method} ${path}`, ...(payload ? [payload] : [])]) };
}

test('a day that is given alone is paused to its end, and what must not be missed still reminds', async () => {
  const now = await pause({ until: '2026-03-08' });
  assert.deepEqual(now.sent, [['POST /v1/me/pause', { until: '2026-03-09T00:00', keep_must_not_miss: true }]]);
  const silent = await pause({ until: '2026-03-08T18:00', keep_must_not_miss: false });
  assert.deepEqual(silent.sent, [['POST /v1/me/pause', { until: '2026-03-08T18:00', keep_must_not_miss: false }]]);
});

test('a pause that began today starts at once, one of a later day is planned, and one of an earlier day is refused', async () => {
  for (const from of ['2026-03-05', '2026-03-05T08:00', '2026-03-05T10:00'])
    assert.equal((await pause({ from, until: '2026-03-08' })).sent[0]?.[0], 'POST /v1/me/pause', from);
  const later = await pause({ from: '2026-03-06', until: '2026-03-08' });
  const payload = { until: '2026-03-09T00:00', keep_must_not_miss: true, from: '2026-03-06T00:00' };
  assert.deepEqual(later.sent, [['PUT /v1/me/pause/planned', payload]]);
  await assert.rejects(pause({ from: '2026-03-03', until: '2026-03-08' }), /it has passed/);
});

test('the pause that is meant ends, and the other one stays', async () => {
  const until = '2026-03-08T23:00:00Z';
  const planned = { from: '2026-03-10T00:00:00Z', until: '2026-03-12T00:00:00Z', keep_must_not_miss: true };
  const now = await pause({ end: 'now' }, until, planned);
  assert.deepEqual(now.sent, [['DELETE /v1/me/pause']]);
  assert.match(now.text, /^The pause has ended\./);
  assert.deepEqual((await pause({ end: 'planned' }, until, planned)).sent, [['DELETE /v1/me/pause/planned']]);
  assert.match((await pause({ end: 'now' }, null, planned)).text, /end: "planned" cancels the planned one/);
  assert.match((await pause({ end: 'planned' }, until)).text, /end: "now" ends the running one/);
  for (const more of [{ until: '2026-03-08' }, { from: '2026-03-08' }])
    await assert.rejects(pause({ end: 'now', ...more }), /Give either end, or until/);
});

test('the pause that is replaced is told: the running one or the planned one', async () => {
  const planned = { from: '2026-03-10T00:00:00Z', until: '2026-03-12T00:00:00Z', keep_must_not_miss: true };
  const until = '2026-03-06T08:00:00Z';
  const now = await pause({ until: '2026-03-08' }, until, planned);
  assert.match(now.text, / Before: paused until Friday, 6 March 2026 at 09:00\. Times/);
  const later = await pause({ from: '2026-03-20', until: '2026-03-22' }, until, planned);
  assert.match(later.text, / Before: planned from Tuesday, 10 March 2026 at 01:00 until Thursday, 12 March/);
  assert.doesNotMatch((await pause({ until: '2026-03-08' }, null, planned)).text, /Before:/);
});
