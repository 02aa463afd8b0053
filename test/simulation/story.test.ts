/** What a run of simulated worlds tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { simulate } from '../support/simulate.ts';

onlyOn('sqlite', () => {
  test('a seed always tells the same story', () => {
    const traces = [1, 2].map(() => /trace (\w+)/.exec(simulate('--seeds', '3').output)?.[1]);
    assert.ok(traces[0]);
    assert.equal(traces[0], traces[1]);
  });

  test('a broken promise is told as the shortest story, with its seed', () => {
    const { status, output } = simulate('--broken', 'reopening does not withdraw the outcome', '--seed', '70');
    assert.equal(status, 1, output);
    assert.match(output, /^The promise: (one outcome per occurrence|statistics|whole or not at all)$/m);
    assert.match(output, /asks to (reopen|undo)/);
    assert.match(output, /Run it again: npm run simulate -- --seed \d+/);
    assert.ok(output.split('\n').length < 30, output);
  });
});
