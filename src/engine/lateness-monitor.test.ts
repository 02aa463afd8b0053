import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../lib/logger.ts';
import { LatenessMonitor } from './lateness-monitor.ts';

test('falling behind is told once, and catching up once, however the lateness wavers', () => {
  const log: string[] = [];
  const watch = new LatenessMonitor(createLogger('info', { write: (line) => void log.push(JSON.parse(line).msg) }));
  const at = new Date(0);
  for (const lateMs of [0, 9_000, 10_001, 30_000, 9_000, 11_000, 2_000]) watch.swept(at, lateMs);
  assert.deepEqual(log, ['the engine is late']);
  for (const lateMs of [500, 0, 5_000, 0]) watch.swept(at, lateMs);
  assert.deepEqual(log, ['the engine is late', 'the engine has caught up']);
});
