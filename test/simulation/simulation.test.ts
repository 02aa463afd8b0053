/** Short worlds, each from a seed: three people, some days with faults. Longer: `npm run simulate`. */
import assert from 'node:assert/strict';
import { constants, setPriority } from 'node:os';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { simulate } from '../support/simulate.ts';
import { sized } from '../support/size.ts';

// Other test files that still run have priority, because they wait in real time. Child processes inherit it.
setPriority(constants.priority.PRIORITY_LOW);

onlyOn('sqlite', () => {
  test('no promise is broken in any of these worlds', () => {
    const { status, output } = simulate(...sized(['--seeds', '60', '--short'], ['--seeds', '1000']));
    assert.equal(status, 0, output);
  });
});
