import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { adaptiveBatchSize } from './batch-size.ts';

/** In ms for a row: 40 rows and a bit take 4 ms. */
const FORTY = 4 / 40.5;

/** A batch size whose batches take that long, by a timer that moves only for them. */
function timedBatches({ mock }: TestContext) {
  let nowMs = 0;
  mock.method(performance, 'now', () => nowMs);
  const batch = adaptiveBatchSize();
  const run = async (times: number, rows: () => number, msPerRow: number) => {
    for (let count = 0; count < times; count += 1) {
      const done = rows();
      await batch.measure(
        () => done,
        async () => {
          nowMs += done * msPerRow;
        },
      );
    }
    return batch.size;
  };
  return { run, full: () => batch.size };
}

test('a batch has as many rows as take 4 ms, but at least 5 and at most 200', async (t) => {
  const { run, full } = timedBatches(t);
  assert.equal(await run(20, full, FORTY), 40);
  assert.equal(await run(20, full, 0.001), 200);
  assert.equal(await run(20, full, 0), 200);
  assert.equal(await run(20, full, 100), 5);
  assert.equal(await run(30, full, FORTY), 40);
});

test('a batch that was mostly empty teaches nothing', async (t) => {
  const { run, full } = timedBatches(t);
  assert.equal(await run(20, full, FORTY), 40);
  assert.equal(await run(20, () => 1, 100), 40);
});
