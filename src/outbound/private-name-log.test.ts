import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Logger } from '../lib/logger.ts';
import { privateNameLog } from './private-name-log.ts';

test('a host in a private network is logged once an hour, and however many names people try, few lines are written', async () => {
  const hosts: string[] = [];
  const logger = { warn: ({ host }: { host: string }) => hosts.push(host) } as unknown as Logger;
  const clock = new FakeClock();
  const log = privateNameLog(logger, clock, 'CHANNEL_HOSTS');
  for (let count = 0; count < 3; count += 1) log('nas.lan');
  assert.deepEqual(hosts, ['nas.lan']);
  for (let index = 0; index < 100; index += 1) log(`host-${index}.lan`);
  assert.equal(hosts.length, 20);
  await clock.advance('1h');
  log('nas.lan');
  assert.equal(hosts.length, 21);
  clock.set('2026-03-01T09:00:00Z');
  log('nas.lan');
  assert.equal(hosts.length, 22, 'a clock that was set back silences nothing');
});
