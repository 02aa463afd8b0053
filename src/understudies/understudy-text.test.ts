import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UnderstudyContent } from './plan-understudies.ts';
import { understudyText } from './understudy-text.ts';

const SINCE = new Date('2026-03-02T09:00:00Z');
const at = Date.parse('2026-03-02T10:00:00Z');
const textOf = (changes: Partial<UnderstudyContent>) => {
  const named = [
    { id: 'one', title: 'pills', at },
    { id: 'two', title: 'water', at },
  ];
  const content = { kind: 'due', isPrivate: false, timezone: 'Asia/Kolkata', named, count: 5, ...changes } as const;
  const { title, body } = understudyText(content, SINCE, (id) => `#${id}`);
  return `${title} / ${body}`;
};

test('a message names what is due in the time of the person, and counts what it does not name', () => {
  assert.match(textOf({}), /since Mon 14:30.*pills \(Mon 15:30\), water \(Mon 15:30\), .*3 more/);
  assert.doesNotMatch(textOf({ count: 2 }), /more/);
  assert.match(textOf({ kind: 'task', count: 1 }), /^pills \/ .*Mon 15:30/);
});

test('a private message names no task, whatever it is about', () => {
  for (const kind of ['due', 'task', 'gone'] as const)
    assert.doesNotMatch(textOf({ kind, isPrivate: true }), /pills|water/, kind);
  assert.match(textOf({ kind: 'task', isPrivate: true }), /#one/);
});

test('with nothing due it says that nothing rings', () => {
  assert.match(textOf({ kind: 'gone', named: [], count: 0 }), /Nothing rings/);
});
