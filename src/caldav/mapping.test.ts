import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterEntry } from '../../test/support/filtered-entry.ts';
import { parsePath, taskPath } from './paths.ts';
import { readEntry } from './todo-reader.ts';
import { writeEntry } from './todo-writer.ts';
import { readXml } from './xml-reader.ts';
import { escapeXml } from './xml-writer.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const ID = '01900000-0000-7000-8000-000000000000';
const SPACE = '01900000-0000-7000-8000-000000000001';
const read = (...lines: string[]) =>
  readEntry(['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', ...lines, 'END:VTODO', 'END:VCALENDAR'].join('\r\n'), {
    zone: 'Europe/Berlin',
    now: NOW,
  }).fields;

test('the properties of a VTODO become the fields of a task', () => {
  const cases: readonly [lines: string[], field: keyof ReturnType<typeof read>, expected: unknown][] = [
    [['SUMMARY:a\\, b\\nc'], 'title', 'a, b\nc'],
    [['DESCRIPTION:first\\nsecond'], 'title', 'first'],
    [[], 'title', '(no title)'],
    [[`SUMMARY:${'x'.repeat(300)}`], 'title', `${'x'.repeat(199)}…`],
    [['DESCRIPTION:a\\;b'], 'notes', 'a;b'],
    [['SUMMARY:a'], 'notes', null],
    [['DUE;VALUE=DATE:20260305'], 'due', { text: '2026-03-05T00:00:00', hasTime: false }],
    [['DUE:20260305'], 'due', { text: '2026-03-05T00:00:00', hasTime: false }],
    [['DUE:20260305T080000Z'], 'due', { text: '2026-03-05T08:00:00Z', hasTime: true }],
    [['DUE:20260305T080000'], 'due', { text: '2026-03-05T08:00:00', hasTime: true }],
    [['DUE;TZID=America/New_York:20260305T080000'], 'due', { text: '2026-03-05T08:00:00-05:00', hasTime: true }],
    [['DTSTART:20260305T080000Z', 'DURATION:PT1H'], 'due', { text: '2026-03-05T09:00:00Z', hasTime: true }],
    [['DTSTART:20260305T080000Z'], 'due', null],
    [['DUE:20260305T080000Z', 'RRULE:FREQ=WEEKLY;BYDAY=TH'], 'recurrence', { rrule: 'FREQ=WEEKLY;BYDAY=TH' }],
    [['DUE;TZID=America/New_York:20260305T080000', 'RRULE:FREQ=DAILY'], 'recurrence', { rrule: 'FREQ=DAILY' }],
    [['DUE:20260305T080000Z', 'RRULE:FREQ=SECONDLY'], 'recurrence', null],
    [['DUE:20260305T080000Z', 'RRULE:FREQ=DAILY', 'EXDATE:20260306T080000Z'], 'recurrence', { rrule: 'FREQ=DAILY' }],
    [['RRULE:FREQ=DAILY'], 'recurrence', null],
    [['CATEGORIES:home,work'], 'kind', 'home'],
    [['CATEGORIES:a\\,b'], 'kind', 'a,b'],
    [[], 'kind', 'todo'],
    [['STATUS:IN-PROCESS'], 'status', 'open'],
    [['PERCENT-COMPLETE:100'], 'status', 'done'],
    [['COMPLETED:20260301T080000Z'], 'status', 'done'],
    [['STATUS:COMPLETED', 'COMPLETED:20260301T080000Z'], 'completedAt', new Date('2026-03-01T08:00:00Z')],
    [['STATUS:CANCELLED'], 'status', 'dropped'],
    [['PRIORITY:4'], 'isHigh', true],
    [['PRIORITY:5'], 'isHigh', false],
  ];
  for (const [lines, field, expected] of cases) assert.deepEqual(read(...lines)[field], expected, `${field}: ${lines}`);
});

const TASK = {
  id: ID,
  title: 'A',
  notes: null,
  kind: 'todo',
  due_at: null,
  due_written: null,
  has_time: false,
  recurrence: null,
  series_first: null,
  status: 'open',
  completed_at: null,
  created_at: NOW,
  occurrence_started_at: NOW,
  run_started_at: NOW,
};
const TIMED = {
  due_at: new Date('2026-03-05T08:00:00Z'),
  due_written: '2026-03-05T09:00:00+01:00',
  has_time: true,
  series_first: '2026-03-05T09:00:00',
};
const DAY = {
  due_at: new Date('2026-03-04T23:00:00Z'),
  due_written: '2026-03-05T00:00:00',
  series_first: '2026-03-05T00:00:00',
};

test('the fields of a task become the properties of a VTODO', () => {
  const view = { zone: 'Europe/Berlin', alarmMinutes: null, dayStart: '09:00' };
  const write = (task: object, minutes: number | null = null) =>
    writeEntry({ task: { ...TASK, ...task }, uid: 'u', kept: null }, { ...view, alarmMinutes: minutes }).split('\r\n');
  const cases: readonly [task: object, line: string][] = [
    [{}, 'STATUS:NEEDS-ACTION'],
    [{ title: 'a, b; c\\d\u0007' }, 'SUMMARY:a\\, b\\; c\\\\d '],
    [{ notes: 'a\r\nb' }, 'DESCRIPTION:a\\nb'],
    [{ kind: 'home, sweet' }, 'CATEGORIES:home\\, sweet'],
    [DAY, 'DUE;VALUE=DATE:20260305'],
    [TIMED, 'DUE:20260305T080000Z'],
    [{ ...TIMED, recurrence: '{"freq":"daily"}' }, 'DUE;TZID=Europe/Berlin:20260305T090000'],
    [{ ...TIMED, recurrence: '{"freq":"daily"}' }, 'RRULE:FREQ=DAILY'],
    [{ ...TIMED, recurrence: '{"freq":"daily"}' }, 'TZID:Europe/Berlin'],
    [{ ...DAY, recurrence: '{"freq":"weekly"}' }, 'RRULE:FREQ=WEEKLY'],
    [{ ...TIMED, recurrence: '{"freq":"daily","from":"completion"}' }, 'DUE:20260305T080000Z'],
    [{ status: 'done', completed_at: NOW }, 'COMPLETED:20260302T090000Z'],
    [{ status: 'done', completed_at: NOW }, 'PERCENT-COMPLETE:100'],
  ];
  for (const [task, line] of cases) assert.ok(write(task).includes(line), `${line}\n${write(task).join('\n')}`);
  assert.ok(!write({ ...TIMED, recurrence: '{"freq":"daily"}' }).some((line) => line.startsWith('DTSTART;TZID')));
  assert.ok(
    !write({ ...TIMED, recurrence: '{"freq":"daily","from":"completion"}' }).some((line) => line.startsWith('RRULE')),
  );
  assert.ok(write(TIMED, 10).includes('TRIGGER;VALUE=DATE-TIME:20260305T081000Z'));
  assert.ok(write(DAY, 10).includes('TRIGGER;VALUE=DATE-TIME:20260305T081000Z'));
  assert.ok(!write({ ...TIMED, status: 'done' }, 10).includes('BEGIN:VALARM'));
});

test('a path means one thing, or nothing', () => {
  const list = `/caldav/calendars/${ID}/tasks/`;
  const cases: readonly [path: string, kind: string | undefined][] = [
    ['/', 'root'],
    ['/caldav', 'root'],
    ['/caldav/', 'root'],
    [`/caldav/principals/${ID}/`, 'principal'],
    [`/caldav/principals/${ID}`, 'principal'],
    [`/caldav/calendars/${ID.toUpperCase()}/`, 'home'],
    [list, 'list'],
    [`/caldav/calendars/${ID}/${SPACE}`, 'list'],
    [`${list}a.ics`, 'task'],
    [`https://x.example${list}a%20b%40c.ics?q`, 'task'],
    [taskPath(ID, 'tasks', 'ü/%?#.ics').replace('%2F', ''), 'task'],
    [`${list}a.ics/`, undefined],
    [`${list}a%2Fb.ics`, undefined],
    [`${list}%zz.ics`, undefined],
    [`${list}${'x'.repeat(256)}`, undefined],
    [`/caldav//calendars/${ID}/`, undefined],
    [`/caldav/calendars/${ID}/other/`, undefined],
    ['/caldav/principals/x/', undefined],
    ['/v1/tasks', undefined],
  ];
  for (const [path, kind] of cases) assert.equal(parsePath(path)?.kind, kind, path);
});

test('filters take what they ask for', async () => {
  const time = (from: string, to: string) => `<C:time-range start="${from}" end="${to}"/>`;
  const prop = (name: string, test: string) => `<C:prop-filter name="${name}">${test}</C:prop-filter>`;
  const cases: readonly [filter: string, takes: boolean][] = [
    ['', true],
    ['<C:is-not-defined/>', false],
    [time('20260301T000000Z', '20260306T000000Z'), true],
    [time('20260401T000000Z', '20260501T000000Z'), false],
    [prop('UID', '<C:text-match collation="i;octet">the-uid</C:text-match>'), true],
    [prop('UID', '<C:text-match collation="i;octet">THE-UID</C:text-match>'), false],
    [prop('UID', '<C:text-match>THE-UID</C:text-match>'), true],
    [prop('COMPLETED', '<C:is-not-defined/>'), true],
    [prop('SUMMARY', '<C:is-not-defined/>'), false],
    [prop('STATUS', '<C:text-match negate-condition="yes">COMPLETED</C:text-match>'), true],
    [prop('DUE', time('20260305T000000Z', '20260306T000000Z')), true],
    [prop('SUMMARY', '<C:param-filter name="LANGUAGE"><C:is-not-defined/></C:param-filter>'), true],
    ['<C:comp-filter name="VALARM"/>', false],
    ['<C:comp-filter name="VALARM"><C:is-not-defined/></C:comp-filter>', true],
  ];
  for (const [filter, takes] of cases) assert.equal(await filterEntry(filter), takes, filter);
  for (const unknown of ['<C:nothing/>', prop('X', '<C:text-match collation="i;x">a</C:text-match>'), time('x', 'y')])
    await assert.rejects(filterEntry(unknown), { status: 403 }, unknown);
});

test('XML is read with its namespaces, without DOCTYPE, and within bounds', async () => {
  const root = await readXml('<a:x xmlns:a="DAV:" xmlns="y"><z q="1">t<![CDATA[<u>]]>&amp;</z></a:x>');
  assert.equal(root.name, 'DAV: x');
  assert.deepEqual(
    [root.children[0]?.name, root.children[0]?.text, root.children[0]?.attributes.q],
    ['y z', 't<u>&', '1'],
  );
  for (const broken of [
    '',
    '<a>',
    '<a></b>',
    '<!DOCTYPE a><a/>',
    '<a>&x;</a>',
    '<p:a/>',
    `${'<a>'.repeat(30)}${'</a>'.repeat(30)}`,
  ])
    await assert.rejects(readXml(broken), { name: 'UnreadableXml' }, broken);
  const strange = 'a & <b> "c"\r\n\u0000\uFFFF\u{1F600}';
  const back = await readXml(`<a>${escapeXml(strange)}</a>`);
  assert.equal(back.text, strange.replace('\u0000', ' ').replace('\uFFFF', ' '));
});
