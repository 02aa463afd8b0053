import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import type { AnyPush, Provider } from '../push/gateway.ts';
import { ProviderLog } from './provider-log.ts';

const PUSH = { kind: 'nudge', task: { id: 'the task' } } as unknown as AnyPush;

function startLog(provider: Provider) {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const log = new ProviderLog(
    provider,
    clock,
    createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
  );
  return { clock, lines, log };
}

test('credentials that are refused are one line in ten minutes, for as long as they are', async () => {
  const { clock, lines, log } = startLog('apns');
  const refuse = () => log.refused('Invalid\u0000Token', { entry_id: 'e', target_id: 't', kind: 'nudge' }, PUSH);
  const countAfter = async (duration: string) => {
    await clock.advance(duration);
    refuse();
    return lines.length;
  };
  assert.deepEqual([await countAfter('0s'), await countAfter('9m'), await countAfter('1m')], [1, 1, 2]);
  assert.deepEqual([await countAfter('9m'), await countAfter('1m')], [2, 3]);
  assert.deepEqual([lines[0]?.reason, lines[0]?.task_id, lines[0]?.device_id], ['Invalid?Token', 'the task', 't']);
});

test('a line names the device, the Live Activity or the channel that was sent to', () => {
  const namedFor = (provider: Provider, kind: 'nudge' | 'activity_start' | 'activity_update') => {
    const { lines, log } = startLog(provider);
    log.failed(new Error('away'), { entry_id: 'e', target_id: 't', kind }, PUSH);
    return ['device_id', 'activity_id', 'channel_id'].filter((name) => lines[0]?.[name] === 't');
  };
  assert.deepEqual(namedFor('apns', 'nudge'), ['device_id']);
  assert.deepEqual(namedFor('apns', 'activity_start'), ['device_id']);
  assert.deepEqual(namedFor('apns', 'activity_update'), ['activity_id']);
  assert.deepEqual(namedFor('ntfy', 'nudge'), ['channel_id']);
});
