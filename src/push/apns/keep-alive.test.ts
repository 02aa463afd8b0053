import assert from 'node:assert/strict';
import type { ClientHttp2Session } from 'node:http2';
import { test } from 'node:test';
import { KeepAlive } from './keep-alive.ts';

test('a connection is asked again and again whether it lives, one question at a time, and is dead without an answer', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const answers: (() => void)[] = [];
  let deaths = 0;
  const session = { destroyed: false, ping: (answered: () => void) => answers.push(answered) };
  const keepAlive = new KeepAlive(session as unknown as ClientHttp2Session, 5_000, () => {
    deaths += 1;
  });
  keepAlive.start(60_000);
  t.mock.timers.tick(60_000);
  keepAlive.ping();
  assert.equal(answers.length, 1, 'the first question has no answer yet');
  answers.at(-1)?.();
  t.mock.timers.tick(59_999);
  assert.deepEqual([answers.length, deaths], [1, 0]);
  t.mock.timers.tick(1);
  assert.equal(answers.length, 2);
  t.mock.timers.tick(5_000);
  assert.equal(deaths, 1);
  keepAlive.stop();
  session.destroyed = true;
  t.mock.timers.tick(120_000);
  assert.deepEqual([answers.length, deaths], [2, 1]);
});
