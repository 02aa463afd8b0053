import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogOnChange } from './log-on-change.ts';
import { createLogger } from './logger.ts';

test('a line is logged when something starts to fail and when it works again, and the failures in a row are counted', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const log = new LogOnChange(logger, { failing: 'it fails', working: 'it works', level: 'error' });
  log.worked();
  for (let count = 0; count < 3; count += 1) log.failed({ reason: 'away' });
  assert.equal(log.failures, 3);
  for (let count = 0; count < 2; count += 1) log.worked();
  assert.equal(log.failures, 0);
  log.failed({});
  assert.equal(log.failures, 1, 'only those in a row count');
  assert.deepEqual(
    lines.map(({ level, msg, failures }) => [level, msg, failures]),
    [
      ['error', 'it fails', undefined],
      ['info', 'it works', 3],
      ['error', 'it fails', undefined],
    ],
  );
});
