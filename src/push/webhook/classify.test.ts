import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, echoes } from './classify.ts';

const NOW = new Date('2026-03-02T10:00:00Z');

test('a receiver that wants no more messages is given up, and no other', () => {
  const of = (status: number) => classify({ status, headers: {}, body: '' }, NOW, 'ref');
  assert.deepEqual(of(410), { kind: 'gone', reason: 'http_410' });
  assert.deepEqual(of(204), { kind: 'accepted', ref: 'ref' });
  assert.deepEqual(of(404), { kind: 'rejected', reason: 'http_404' });
});

test('a receiver has shown that it is meant if it returns the challenge, and not what else it got', () => {
  const shown = (body: string) => echoes({ status: 200, headers: {}, body }, 'c1');
  assert.deepEqual(['c1', ' c1\n', '{"challenge":"c1"}'].map(shown), [true, true, true]);
  assert.deepEqual(
    ['c2', '', '{}', '{"challenge":"c2"}', '{"data":{"challenge":"c1"}}'].map(shown),
    Array(5).fill(false),
  );
});
