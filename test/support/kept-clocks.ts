/**
 * Many test files share a process. A test that leaves a replaced clock or timer behind lets the tests after it wait for
 * ever: `mock` does that when one test replaces the same function twice, because it restores the first replacement last.
 * The next test puts the real one back, and fails with the name of the one that left it.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';

const clocks = [
  keep(Date, 'now'),
  keep(performance, 'now'),
  keep(globalThis, 'Date'),
  keep(globalThis, 'setTimeout'),
  keep(globalThis, 'setInterval'),
  keep(globalThis, 'setImmediate'),
];

function keep<Owner extends object, Name extends keyof Owner>(owner: Owner, name: Name) {
  const real = owner[name];
  const putBack = () => {
    const isReplaced = owner[name] !== real;
    if (isReplaced) owner[name] = real;
    return isReplaced;
  };
  return { name, putBack };
}

let previous = 'what ran before the tests';

beforeEach(() => {
  const left = clocks.filter(({ putBack }) => putBack()).map(({ name }) => name);
  assert.equal(left.join(', '), '', `"${previous}" has left what it had replaced.`);
});

afterEach(({ name }) => {
  previous = name;
});
