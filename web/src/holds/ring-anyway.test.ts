import assert from 'node:assert/strict';
import { settleAll } from '../../../test/support/fake-browser.ts';
import { testInPage } from '../../../test/support/fake-page.ts';
import { listActions } from '../data/stored-actions.ts';

const BINS = { id: 'bins', title: 'bins' };
const at = (clock: string) => Date.parse(`2026-03-02T${clock}:00Z`);

/** Ada at nine in the morning, with these quiet hours. */
async function signedIn(start: string, end: string) {
  const { queryClient } = await import('../data/query-client.ts');
  const { toasts } = await import('../data/toast.ts');
  queryClient.clear();
  toasts.set([]);
  const quiet = { quiet_hours_start: start, quiet_hours_end: end, paused_until: null, keep_must_not_miss: true };
  const settings = { id: 'ada', timezone: 'UTC', day_start: '09:00', ...quiet };
  queryClient.setQueryData(['sync'], { tasks: {}, settings, since: '' });
  queryClient.setQueryData(['planned-pause'], { planned_pause: null });
  const said = () => toasts.value.map(({ text, action }) => [text.replace(/ at .*/, ''), action?.isOffer]);
  return { ...(await import('./ring-anyway.ts')), queryClient, toasts, said };
}

testInPage('whoever adds a task for quiet hours is offered that it rings at its own moment', async () => {
  const { confirmAdded, said, toasts } = await signedIn('22:00', '07:00');
  await confirmAdded(BINS, at('23:00'), false, false);
  assert.deepEqual(said(), [['Added. Rings tomorrow', true]]);
  toasts.value[0]?.action?.run();
  await settleAll();
  assert.deepEqual(
    (await listActions()).map(({ kind, body }) => [kind, body]),
    [['ring-anyway', { at: '2026-03-02T23:00:00.000Z' }]],
  );
});

testInPage('a task whose moment has passed rings when what holds it now ends, and is offered nothing', async () => {
  const { confirmAdded, said } = await signedIn('08:00', '20:00');
  await confirmAdded(BINS, at('07:30'), false, false);
  assert.deepEqual(said(), [['Added. Rings today', undefined]]);
});

testInPage('a task that is held again shows at once when it rings now', async (browser) => {
  const { holdAgain, queryClient } = await signedIn('22:00', '07:00');
  queryClient.setQueryData(['task', 'bins', 'forecast'], []);
  browser.respond = () => ({ data: { ...BINS, next_fire_at: '2026-03-03T07:00:00Z' } });
  await holdAgain(BINS);
  assert.deepEqual(browser.asked, ['DELETE /v1/tasks/bins/ring-anyway']);
  const { tasks } = queryClient.getQueryData<{ tasks: Record<string, object> }>(['sync']) ?? assert.fail();
  assert.partialDeepStrictEqual(tasks, { bins: { next_fire_at: '2026-03-03T07:00:00Z' } });
  assert.equal(queryClient.getQueryState(['task', 'bins', 'forecast'])?.isInvalidated, true);
  queryClient.clear();
});
