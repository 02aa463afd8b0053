/** Short worlds, each from a seed: three people, ten tasks, a week with faults. Longer: `npm run simulate`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { sized } from '../support/size.ts';

// Other test files that still run have priority, because they wait in real time. Child processes inherit it.
setPriority(constants.priority.PRIORITY_LOW);

/** In a process of its own, because it replaces the clock and the timers. */
function simulate(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'simulate.ts'), ...args], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

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

  // The last, because it uses every core.
  test('no promise is broken in any of these worlds', () => {
    const { status, output } = simulate('--seeds', sized('60', '1000'));
    assert.equal(status, 0, output);
  });
});
