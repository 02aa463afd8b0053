import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTodos, readTodo } from './vtodo.ts';
import { alarmMinutes, attachmentLinks, categoriesOf, withoutSeries } from './vtodo-extras.ts';

function todoOf(...lines: readonly string[]) {
  const text = ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'SUMMARY:x', ...lines, 'END:VTODO', 'END:VCALENDAR'].join('\r\n');
  const { todos, zones } = listTodos(text);
  const [todo] = todos;
  assert.ok(todo);
  return { todo, zones };
}

test('alarms before the due moment are heads-ups, those at it are the ladder, and the others are left out', () => {
  const alarm = (trigger: string) => ['BEGIN:VALARM', 'ACTION:DISPLAY', trigger, 'END:VALARM'];
  const triggers = ['-PT15M', '-P1D', 'PT0S', 'PT5M'].map((text) => `TRIGGER:${text}`);
  const { todo } = todoOf(...[...triggers, 'TRIGGER;VALUE=DATE-TIME:20260309T090000Z'].flatMap(alarm));
  assert.deepEqual(alarmMinutes(todo), { minutes: [15, 1_440], leftOut: 2 });
});

test('every category is read, and of attachments those that are addresses of pages', () => {
  assert.deepEqual(categoriesOf(todoOf('CATEGORIES:a,b', 'CATEGORIES:c').todo), ['a', 'b', 'c']);
  const links = ['ATTACH:https://example.org/a', 'ATTACH:file:///etc/passwd', `ATTACH:https://x/${'y'.repeat(2_000)}`];
  assert.deepEqual(attachmentLinks(todoOf(...links, 'ATTACH;ENCODING=BASE64;VALUE=BINARY:AAAA').todo), [
    'https://example.org/a',
    '',
    '',
    '',
  ]);
});

test('a task without its series has none of its parts, and says what the rule was', () => {
  const reader = { zone: 'UTC', now: new Date('2026-03-02T09:00:00Z') };
  for (const part of ['EXDATE:20260310T090000Z', 'RDATE:20260310T090000Z', 'RECURRENCE-ID:20260310T090000Z']) {
    const { todo, zones } = todoOf('DUE:20260309T090000Z', 'RRULE:FREQ=DAILY', part);
    const single = withoutSeries(todo);
    assert.equal(single?.rule, 'FREQ=DAILY');
    const read = readTodo(single.todo, zones, reader);
    assert.ok('task' in read, part);
    assert.equal(read.task.recurrence, null);
    assert.ok(todo.hasProperty('rrule'), 'what was read stays as it is');
  }
  assert.equal(withoutSeries(todoOf('DUE:20260309T090000Z').todo), undefined);
  assert.equal(withoutSeries(todoOf('EXDATE:20260310T090000Z').todo)?.rule, '');
});
