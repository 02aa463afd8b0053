import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, taskIdEnding } from '../../test/support/fake-agent.ts';
import { withWholeIds } from './whole-ids.ts';

const [PILLS, WALK] = [taskIdEnding('0000a1b2'), taskIdEnding('0000c3d4')];
const TWIN = `11960000${PILLS.slice(8)}`;

test('the end of an id stands for the whole one, in any case and at each place of a list', async () => {
  const { agent, calls } = fakeAgent(() => ({ data: [fakeTask({ id: PILLS }), fakeTask({ id: WALK })] }));
  assert.deepEqual(await withWholeIds(agent, { task_id: '0000A1B2', x: 1 }), { task_id: PILLS, x: 1 });
  const task_ids = ['0000a1b2', WALK, '0000C3D4', 'Pills', '0000ffff'];
  assert.deepEqual(await withWholeIds(agent, { task_ids }), { task_ids: [PILLS, WALK, WALK, 'Pills', '0000ffff'] });
  const before = calls.length;
  await withWholeIds(agent, { task_id: PILLS });
  await withWholeIds({ ...agent, canRead: false }, { task_id: '0000a1b2' });
  assert.equal(calls.length, before);
});

test('an end that two tasks share is refused with the ids of both', async () => {
  const { agent } = fakeAgent(() => ({ data: [fakeTask({ id: PILLS }), fakeTask({ id: TWIN, title: 'Twin' })] }));
  const both = new RegExp(`several ids end in 0000a1b2\\. "Pills" is ${PILLS}; "Twin" is ${TWIN}`);
  await assert.rejects(withWholeIds(agent, { task_ids: ['0000a1b2'] }), both);
});
