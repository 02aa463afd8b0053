import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { WakeUpSender } from './wake-up-sender.ts';

test('other engines are woken for what is due soon, once for writes that come together, and again for later ones', async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const clock = new FakeClock();
  let wakeUps = 0;
  const notify = async () => {
    wakeUps += 1;
    if (wakeUps === 1) throw new Error('The database does not answer.');
  };
  const sender = new WakeUpSender(clock, 2_000, notify, createLogger('silent'));
  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);
  const wakeUpsAfter = async (...moments: readonly (Date | undefined)[]) => {
    const before = wakeUps;
    for (const moment of moments) sender.wakeUp(moment);
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
    return wakeUps - before;
  };
  assert.equal(await wakeUpsAfter(inMs(2_001)), 0, 'every engine checks before');
  assert.equal(await wakeUpsAfter(inMs(2_001), undefined, inMs(2_000), inMs(-1)), 1);
  assert.equal(await wakeUpsAfter(inMs(2_000)), 1, 'also after one that failed');
  sender.wakeUp();
  sender.close();
  assert.equal(await wakeUpsAfter(), 0);
});
