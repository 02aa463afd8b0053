/** What a run of simulated worlds tells. */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { simulate } from '../support/simulate.ts';
import { drawPlan, loadParts } from './plan.ts';
import { runPlan } from './run-plan.ts';
import { createDatabase } from './shared-database.ts';

const stage = { database: await createDatabase(), ...(await loadParts()) };

onlyOn('sqlite', () => {
  test('a seed always tells the same story, whatever was told before', async () => {
    const tell = async (seed: number) => (await runPlan(drawPlan(seed, stage.kinds), stage)).story.join('\n');
    const seeds = [1, 2, 3];
    const told = [];
    for (const seed of [...seeds, ...seeds]) told.push(await tell(seed));
    assert.deepEqual(told.slice(0, 3), told.slice(3));
    assert.equal(new Set(told).size, 3);
  });

  test('nothing in a world waits for real time', async () => {
    // In these worlds every part of the engine runs.
    const plans = [4, 12, 20].map((seed) => drawPlan(seed, stage.kinds));
    const timers: string[] = [];
    const hook = createHook({ init: (_id, type) => type === 'Timeout' && timers.push(type) }).enable();
    for (const plan of plans) await runPlan(plan, stage);
    hook.disable();
    assert.deepEqual(timers, []);
  });

  test('a broken promise is told as the shortest story, with its seed', () => {
    const { status, output } = simulate('--broken', 'reopening does not withdraw the outcome', '--seed', '31');
    assert.equal(status, 1, output);
    assert.match(output, /^The promise: apps$/m);
    assert.match(output, /"kind":"reopen"/);
    assert.match(output, /Run it again: npm run simulate -- --seed \d+/);
    assert.ok(output.split('\n').length < 30, output);
  });
});
