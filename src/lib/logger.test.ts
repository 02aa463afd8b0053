import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './logger.ts';

test('of an error, and of what caused it, a line has its text and its code, and nothing else that it carries', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const connection = { key: 'the key of the server' };
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', connection });
  logger.error({ err: Object.assign(new TypeError('not sent', { cause }), { connection }) }, 'a push failed');
  const [{ err, level, msg } = {}] = lines;
  assert.deepEqual([level, msg], ['error', 'a push failed']);
  const { stack: _, cause: told, ...own } = err as { stack: string; cause: { stack: string } };
  assert.deepEqual(own, { name: 'TypeError', message: 'not sent' });
  const { stack: __, ...ownOfCause } = told;
  assert.deepEqual(ownOfCause, { name: 'Error', message: 'refused', code: 'ECONNREFUSED' });
  logger.error({ err: 'no error' }, 'odd');
  assert.equal(lines[1]?.err, 'no error');
});
