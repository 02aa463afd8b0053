import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTodos, readTodo } from './vtodo.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const PAST = '2026-02-01T08:00:00.000Z';

const ZONES = [
  'BEGIN:VTIMEZONE',
  'TZID:/example.org/2026/Europe/Berlin',
  'END:VTIMEZONE',
  'BEGIN:VTIMEZONE',
  'TZID:Ours',
  'X-LIC-LOCATION:America/New_York',
  'END:VTIMEZONE',
];

function read(lines: readonly string[], zone = 'UTC') {
  const text = ['BEGIN:VCALENDAR', ...ZONES, 'BEGIN:VTODO', ...lines, 'END:VTODO', 'END:VCALENDAR'].join('\r\n');
  const { todos, zones } = listTodos(text);
  const [todo] = todos;
  assert.ok(todo);
  return readTodo(todo, zones, { zone, now: NOW });
}

function taskOf(lines: readonly string[], zone = 'UTC'): Readonly<Record<string, unknown>> {
  const answer = read(['SUMMARY:x', ...lines], zone);
  assert.ok('task' in answer, 'reason' in answer ? answer.reason : '');
  return answer.task;
}

const reasonOf = (lines: readonly string[], zone = 'UTC'): string | undefined => {
  const answer = read(['SUMMARY:x', ...lines], zone);
  return 'reason' in answer ? answer.reason : undefined;
};

test('what another program says of a state, and when, becomes ours', () => {
  const written = (...lines: string[]) => {
    const { status, completed_at, closed_at, outcomes } = taskOf(['LAST-MODIFIED:20260201T080000Z', ...lines]);
    return [status, completed_at, closed_at, (outcomes as object[]).length];
  };
  const at = '2026-01-31T08:00:00.000Z';
  const open = ['open', null, null, 0];
  assert.deepEqual(written(), open);
  assert.deepEqual(written('STATUS:NEEDS-ACTION', 'COMPLETED:20260131T080000Z'), open);
  assert.deepEqual(written('STATUS:IN-PROCESS', 'PERCENT-COMPLETE:99'), open);
  assert.deepEqual(written('STATUS:COMPLETED', 'COMPLETED:20260131T080000Z'), ['done', at, at, 1]);
  assert.deepEqual(written('COMPLETED:20260131T080000Z'), ['done', at, at, 1]);
  assert.deepEqual(written('STATUS:COMPLETED'), ['done', PAST, PAST, 1]);
  assert.deepEqual(written('PERCENT-COMPLETE:100'), ['done', PAST, PAST, 1]);
  assert.deepEqual(written('STATUS:cancelled'), ['dropped', null, PAST, 0]);
});

test('a moment that a wrong clock has dated in the future is now, and nothing is closed before it was made', () => {
  const future = taskOf(['CREATED:20270101T000000Z', 'LAST-MODIFIED:20270101T000000Z', 'STATUS:COMPLETED']);
  for (const name of ['created_at', 'updated_at', 'completed_at']) assert.equal(future[name], NOW.toISOString(), name);
  const early = taskOf(['CREATED:20260228T000000Z', 'STATUS:COMPLETED', 'COMPLETED:20260201T080000Z']);
  assert.deepEqual([early.created_at, early.closed_at], [PAST, PAST]);
  assert.equal(taskOf(['DTSTAMP:20260201T080000Z']).updated_at, PAST);
  assert.equal(taskOf(['CREATED:20260201T080000Z']).updated_at, PAST);
});

test('only a low priority is a single notification, and the earliest alarm of a day or more a lead time', () => {
  const modes = [0, 1, 5, 6, 9].map((priority) => taskOf([`PRIORITY:${priority}`]).mode);
  assert.deepEqual(modes, ['escalate', 'escalate', 'escalate', 'notify_once', 'notify_once']);
  const alarm = (trigger: string) => ['BEGIN:VALARM', 'ACTION:DISPLAY', `TRIGGER:${trigger}`, 'END:VALARM'];
  const leads = (...triggers: string[]) => taskOf(['DUE:20260309T090000Z', ...triggers.flatMap(alarm)]).lead_time_days;
  assert.deepEqual([leads('-P3D', '-P1D', '-PT5M'), leads('-PT23H'), leads('P2D')], [3, null, null]);
  assert.deepEqual([leads('-P60D'), leads('-P1W')], [30, 7]);
});

test('a task has the id of its UID, and a long title goes on in the notes', () => {
  const id = '0198c000-0000-7000-8000-00000000000a';
  assert.equal(taskOf([`UID:${id.toUpperCase()}`]).id, id);
  assert.equal(taskOf(['UID:a']).id, taskOf(['UID:a', 'PRIORITY:1']).id);
  assert.notEqual(taskOf(['UID:a']).id, taskOf(['UID:b']).id);
  assert.notEqual(taskOf(['PRIORITY:1']).id, taskOf(['PRIORITY:2']).id);
  const title = 'ä'.repeat(201);
  const long = read([`SUMMARY:${title}`, 'DESCRIPTION:more']);
  assert.ok('task' in long);
  assert.deepEqual([long.title, long.task.notes], [`${'ä'.repeat(199)}…`, `${title}\n\nmore`]);
  const described = read(['DESCRIPTION:first\\nsecond']);
  assert.ok('task' in described);
  assert.deepEqual([described.title, described.task.notes], ['first', 'first\nsecond']);
  assert.match(String((read(['PRIORITY:1']) as { reason?: string }).reason), /neither SUMMARY nor DESCRIPTION/);
});

test('a date is read in its own zone, by whatever name the file has for it, or refused', () => {
  const due = (line: string) => taskOf([line]).due_at;
  assert.equal(due('DUE;TZID=Europe/Berlin:20260309T090000'), '2026-03-09T09:00:00+01:00');
  assert.equal(due('DUE;TZID="W. Europe Standard Time":20260309T090000'), '2026-03-09T09:00:00+01:00');
  assert.equal(due('DUE;TZID=/example.org/2026/Europe/Berlin:20260309T090000'), '2026-03-09T09:00:00+01:00');
  assert.equal(due('DUE;TZID=/example.org/America/Argentina/Salta:20260309T090000'), '2026-03-09T09:00:00-03:00');
  assert.equal(due('DUE;TZID=Ours:20260305T090000'), '2026-03-05T09:00:00-05:00');
  // A local time then was some seconds off from any offset that can be written.
  assert.equal(due('DUE;TZID=Europe/Berlin:18800101T000000'), '1879-12-31T23:06:32Z');
  assert.match(String(reasonOf(['DUE;TZID=Nowhere:20260309T090000'])), /time zone is not known/);
  assert.deepEqual(
    [
      ['DUE;VALUE=DATE:20260309'],
      ['DTSTART:20260309T090000Z', 'DURATION:PT0S'],
      ['DTSTART;VALUE=DATE:20260309', 'DURATION:P1DT6H'],
      ['DTSTART;VALUE=DATE:20260309', 'DURATION:P1D'],
      // A time in UTC is one, whatever zone stands beside it.
      ['DUE;TZID=Europe/Berlin:20260309T090000Z'],
    ].map((lines) => {
      const { due_at, has_time } = taskOf(lines);
      return [due_at, has_time];
    }),
    [
      ['2026-03-09T00:00:00', false],
      ['2026-03-09T09:00:00Z', true],
      ['2026-03-10T06:00:00', true],
      ['2026-03-10T00:00:00', false],
      ['2026-03-09T09:00:00Z', true],
    ],
  );
  assert.equal(taskOf(['DTSTART:20260309T090000Z', 'DURATION:-PT1H']).due_at, '2026-03-09T09:00:00Z');
});

test('a series that cannot be said here is refused', () => {
  const series = ['DUE:20260309T090000Z', 'RRULE:FREQ=DAILY'];
  for (const line of [
    'EXDATE:20260310T090000Z',
    'RDATE:20260310T100000Z',
    'EXRULE:FREQ=WEEKLY',
    'RECURRENCE-ID:20260310T090000Z',
  ]) {
    const [name = ''] = line.split(':');
    assert.equal(reasonOf([...series, line]), `${name} cannot be said here`);
  }
  assert.equal(reasonOf([...series, 'RRULE:FREQ=WEEKLY']), 'It has more than one RRULE');
  assert.equal(reasonOf(series), undefined);
  // In Berlin clocks change on other days than in New York.
  const berlin = ['DUE;TZID=Europe/Berlin:20260309T090000', 'RRULE:FREQ=DAILY'];
  assert.match(String(reasonOf(berlin, 'America/New_York')), /would drift/);
  // In one file: the clocks of Moscow changed with those of Berlin, and do so no more.
  const calendar = (year: number) => `DUE;TZID=Europe/Moscow:${year}0106T120000`;
  const both = [
    'BEGIN:VCALENDAR',
    ...[2000, 2026].flatMap((year) => [
      'BEGIN:VTODO',
      `UID:${year}`,
      'SUMMARY:x',
      calendar(year),
      'RRULE:FREQ=DAILY',
      'END:VTODO',
    ]),
    'END:VCALENDAR',
  ];
  const { todos, zones } = listTodos(both.join('\r\n'));
  const drifts = todos.map((todo) =>
    JSON.stringify(readTodo(todo, zones, { zone: 'Europe/Berlin', now: NOW })).includes('would drift'),
  );
  assert.deepEqual(drifts, [false, true]);
  assert.equal(reasonOf(berlin, 'Europe/Vienna'), undefined);
  assert.equal(reasonOf(['DUE;VALUE=DATE:20260309', 'RRULE:FREQ=DAILY'], 'America/New_York'), undefined);
  // Days that are counted from a start on another day than what is due.
  for (const rule of ['FREQ=WEEKLY;BYDAY=MO', 'FREQ=MONTHLY', 'FREQ=YEARLY']) {
    const moved = ['DTSTART:20260309T230000Z', 'DUE:20260310T010000Z', `RRULE:${rule}`];
    assert.match(String(reasonOf(moved)), /falls on other days/, rule);
    const elsewhere = ['DUE;TZID=Asia/Tokyo:20260309T010000', `RRULE:${rule}`];
    assert.match(String(reasonOf(elsewhere)), /falls on other days/, rule);
    assert.equal(reasonOf(['DTSTART:20260309T080000Z', 'DUE:20260309T090000Z', `RRULE:${rule}`]), undefined, rule);
  }
  assert.equal(reasonOf(['DTSTART:20260309T230000Z', 'DUE:20260310T010000Z', 'RRULE:FREQ=WEEKLY']), undefined);
});

test('the end of a series moves with what is due, and a last day is included', () => {
  const ruleOf = (...lines: string[]) => (taskOf(lines).recurrence as { rrule: string }).rrule;
  const due = ['DTSTART:20260309T080000Z', 'DUE:20260309T090000Z'];
  assert.match(ruleOf(...due, 'RRULE:FREQ=DAILY;UNTIL=20260312T080000Z'), /UNTIL=20260312T090000/);
  assert.match(ruleOf('DUE:20260309T090000Z', 'RRULE:FREQ=DAILY;UNTIL=20260312T080000Z'), /UNTIL=20260312T080000Z/);
  const days = ['DTSTART;VALUE=DATE:20260309', 'DUE;VALUE=DATE:20260310'];
  assert.match(ruleOf(...days, 'RRULE:FREQ=WEEKLY;UNTIL=20260323'), /UNTIL=20260324T235959/);
});
