/** Whole texts of apps: what is read of them, what is kept, and what is written back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOfKept, isKept } from './kept.ts';
import type { WrittenTask } from './todo-fields.ts';
import { type Kept, readEntry } from './todo-reader.ts';
import { keysOfTask, lastChange, tagOf, timesOf, writeEntry } from './todo-writer.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const ZONE = 'Europe/Berlin';
const VIEW = { zone: ZONE, alarmMinutes: null, dayStart: '09:00' };
const DAY_MS = 86_400_000;
const at = (text: string) => new Date(text);
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('');
const readAll = (...lines: string[]) => readEntry(textOf(lines), { zone: ZONE, now: NOW });
const read = (...lines: string[]) =>
  readAll('BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', ...lines, 'END:VTODO', 'END:VCALENDAR');
const zoneLines = (tzid: string, offset: string) => [
  'BEGIN:VTIMEZONE',
  `TZID:${tzid}`,
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  `TZOFFSETFROM:${offset}`,
  `TZOFFSETTO:${offset}`,
  'END:STANDARD',
  'END:VTIMEZONE',
];
const OFFICE = zoneLines('Office', '-0500');
const ALARM = ['BEGIN:VALARM', 'TRIGGER:-PT15M', 'END:VALARM'];
const REST = ['CREATED:20260101T000000Z', 'PRIORITY:1', 'X-APPLE-SORT-ORDER:7'];
const LINES = {
  title: ['SUMMARY;LANGUAGE=en:Pills'],
  notes: ['DESCRIPTION;LANGUAGE=en:two\\nlines'],
  due: ['DTSTART;TZID=Office:20260304T080000', 'DUE;TZID=Office:20260305T080000'],
  rule: ['RRULE:FREQ=DAILY;COUNT=3'],
  label: ['CATEGORIES:home,work', 'CATEGORIES:far'],
  status: ['STATUS:NEEDS-ACTION', 'PERCENT-COMPLETE:20'],
};

const SENT = readAll(
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  ...OFFICE,
  ...zoneLines('Unused', '+0000'),
  'BEGIN:VTODO',
  'UID: u1 ',
  'DTSTAMP:20260301T000000Z',
  'LAST-MODIFIED:20260301T000000Z',
  ...REST,
  ...Object.values(LINES).flat(),
  'X-KDE-LIBKCAL-DTRECURRENCE:20260305T130000Z',
  ...ALARM,
  ...['BEGIN:VALARM', 'UID:crescendo-1', 'END:VALARM'],
  ...['BEGIN:VALARM', 'X-CRESCENDO-ALARM:1', 'END:VALARM'],
  'END:VTODO',
  ...['BEGIN:VTODO', 'UID:u1', 'RECURRENCE-ID:20260306T130000Z', 'STATUS:COMPLETED', 'END:VTODO'],
  ...['BEGIN:VTODO', 'UID:u1', 'RECURRENCE-ID:20260307', 'END:VTODO'],
  ...['BEGIN:VTODO', 'UID:u1', 'RECURRENCE-ID:soon', 'END:VTODO'],
  'END:VCALENDAR',
);

test('of a whole text the fields are read, and everything else is kept line by line', () => {
  const second = (text: string) => String(at(text).getTime() / 1_000);
  const keys = {
    title: 'Pills',
    notes: 'two\nlines',
    due: second('2026-03-05T13:00:00Z'),
    rule: 'COUNT=3;FREQ=DAILY',
    label: 'home',
    status: 'open',
  };
  const lines = Object.fromEntries(Object.entries(LINES).map(([name, own]) => [name, textOf(own)]));
  assert.deepEqual(SENT, {
    uid: 'u1',
    fields: {
      title: 'Pills',
      notes: 'two\nlines',
      due: { text: '2026-03-05T13:00:00Z', hasTime: true },
      recurrence: { rrule: 'FREQ=DAILY;COUNT=3' },
      kind: 'home',
      status: 'open',
      completedAt: null,
      isHigh: true,
    },
    keys,
    kept: {
      rest: textOf([...REST, ...ALARM]),
      lines,
      zones: { Office: textOf(OFFICE) },
      categories: ['work', 'far'],
      keys,
      recurrence: '{"rrule":"FREQ=DAILY;COUNT=3"}',
      startsBefore: 86_400,
      isHigh: true,
    },
    base: undefined,
    overrides: [
      { occurrence: second('2026-03-06T13:00:00Z'), isDone: true },
      { occurrence: '2026-03-07', isDone: false },
    ],
    kdeOccurrence: second('2026-03-05T13:00:00Z'),
  });
});

const TASK: WrittenTask = {
  id: 'i',
  title: 'Pills',
  notes: 'two\nlines',
  kind: 'home',
  due_at: at('2026-03-05T13:00:00Z'),
  due_written: '2026-03-05T08:00:00-05:00',
  has_time: true,
  recurrence: SENT.kept.recurrence,
  series_first: '2026-03-05T14:00:00',
  status: 'open',
  completed_at: null,
  created_at: at('2026-01-01T00:00:00Z'),
  occurrence_started_at: at('2026-01-03T00:00:00Z'),
  run_started_at: at('2026-01-02T00:00:00Z'),
};
const NEXT = { due_at: at('2026-03-06T13:00:00Z'), due_written: '2026-03-06T14:00:00+01:00' };
const DAY = {
  due_at: at('2026-03-04T23:00:00Z'),
  due_written: '2026-03-05T00:00:00',
  has_time: false,
  recurrence: null,
};

const write = (changes: Partial<WrittenTask> = {}, kept: Kept | null = SENT.kept, view: Partial<typeof VIEW> = {}) =>
  writeEntry({ task: { ...TASK, ...changes }, uid: 'u1', kept }, { ...VIEW, ...view });
/** The lines of the VTODO, without our base. */
const todoOf = (...given: Parameters<typeof write>) => {
  const lines = write(...given).split('\r\n');
  return lines
    .slice(lines.indexOf('BEGIN:VTODO') + 1, lines.lastIndexOf('END:VTODO'))
    .filter((line) => !line.startsWith('X-CRESCENDO-BASE'));
};
const zonesOf = (...given: Parameters<typeof write>) =>
  [...write(...given).matchAll(/^TZID:(.*)$/gm)].map(([, tzid]) => tzid);
const HEAD = ['UID:u1', 'DTSTAMP:20260103T000000Z', 'LAST-MODIFIED:20260103T000000Z'];

test('a task that means what an app sent is given back as it was sent', () => {
  const todo = [...HEAD, ...Object.values(LINES).flat(), ...REST, ...ALARM];
  assert.deepEqual(todoOf(), todo);
  assert.match(write(), /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:[^\r]+\r\nBEGIN:VTIMEZONE\r\nTZID:Office\r\n/);
  assert.match(write(), /END:VTODO\r\nEND:VCALENDAR\r\n$/);
  assert.match(write(), /\r\nX-CRESCENDO-BASE:1\.[^\r]+\r\n/);
  assert.deepEqual(zonesOf(), ['Office']);
  const base = readEntry(write(), { zone: ZONE, now: NOW });
  assert.ok(base.base);
  assert.deepEqual(base.keys, SENT.keys);
  const alarm = todoOf({}, SENT.kept, { alarmMinutes: 10 } as never);
  assert.deepEqual(alarm, [
    ...todo,
    'BEGIN:VALARM',
    'UID:crescendo-i',
    'ACTION:DISPLAY',
    'TRIGGER;VALUE=DATE-TIME:20260305T131000Z',
    'DESCRIPTION:Pills',
    'X-CRESCENDO-ALARM:1',
    'END:VALARM',
  ]);
});

test('a field that changed is written anew, and the others stay as they were sent', () => {
  const changed = {
    ...NEXT,
    title: 'x',
    notes: null,
    kind: 'todo',
    status: 'done',
    completed_at: at('2026-03-06T13:00:00.9Z'),
  };
  assert.deepEqual(todoOf(changed), [
    'UID:u1',
    'DTSTAMP:20260306T130000Z',
    'LAST-MODIFIED:20260306T130000Z',
    'SUMMARY:x',
    'DTSTART;TZID=Europe/Berlin:20260305T140000',
    'DUE;TZID=Europe/Berlin:20260306T140000',
    'RRULE:FREQ=DAILY;COUNT=2',
    'CATEGORIES:work,far',
    'STATUS:COMPLETED',
    'COMPLETED:20260306T130000Z',
    'PERCENT-COMPLETE:100',
    ...REST,
    ...ALARM,
  ]);
  assert.deepEqual(zonesOf(changed), ['Europe/Berlin']);
  const { title, notes, label, status } = LINES;
  const due = ['DTSTART:20260305T130000Z', 'DUE:20260306T130000Z'];
  assert.deepEqual(todoOf({ ...NEXT, recurrence: null }), [
    ...HEAD,
    ...title,
    ...notes,
    ...due,
    ...label,
    ...status,
    ...REST,
    ...ALARM,
  ]);
  assert.deepEqual(zonesOf({ ...NEXT, recurrence: null }), []);
});

test('a series has the description of its own zone and years, whichever were written before', () => {
  const series = { recurrence: '{"freq":"daily"}', kind: 'todo' };
  const zones = [
    [ZONE, '2026-03-05T14:00:00'],
    ['America/New_York', '2026-03-05T08:00:00'],
    [ZONE, '2026-03-05T14:00:00'],
  ] as const;
  for (const [zone, series_first] of zones) {
    const written = write({ ...series, series_first }, null, { zone });
    assert.deepEqual(written.match(/^(?:TZID:|DUE;TZID=)[^:\r]*/gm), [`TZID:${zone}`, `DUE;TZID=${zone}`]);
  }
  const described = [2026, 1999, 2026].map((year) => {
    const due = { due_at: at(`${year}-03-05T13:00:00Z`), due_written: `${year}-03-05T14:00:00` };
    const written = write({ ...series, ...due, series_first: due.due_written }, null);
    return written.match(/^DTSTART:\d{4}/gm)?.toSorted()[0];
  });
  assert.deepEqual(described, ['DTSTART:2025', 'DTSTART:1998', 'DTSTART:2025']);
});

test('a task that no app has sent has the lines that it needs, and no more', () => {
  const none = { notes: null, kind: 'todo', recurrence: null };
  const created = [
    'UID:u1',
    'DTSTAMP:20260103T000000Z',
    'CREATED:20260101T000000Z',
    'LAST-MODIFIED:20260103T000000Z',
    'SUMMARY:Pills',
  ];
  assert.deepEqual(todoOf(none, null), [...created, 'DUE:20260305T130000Z', 'STATUS:NEEDS-ACTION']);
  const never = { ...none, due_at: null, due_written: null };
  assert.deepEqual(todoOf(never, null, { alarmMinutes: 10 } as never), [...created, 'STATUS:NEEDS-ACTION']);
  assert.deepEqual(todoOf({ ...never, status: 'done' }, null), [
    ...created,
    'STATUS:COMPLETED',
    'PERCENT-COMPLETE:100',
  ]);
  assert.deepEqual(todoOf({ ...never, kind: 'a,b\nc' }, null), [
    ...created,
    'CATEGORIES:a\\,b c',
    'STATUS:NEEDS-ACTION',
  ]);
  const seconds = {
    ...TASK,
    kind: 'todo',
    notes: null,
    recurrence: '{"freq":"daily"}',
    due_at: at('2026-03-05T13:00:00.5Z'),
    series_first: '2026-03-05T14:00:00.5',
  };
  assert.ok(todoOf(seconds, null).includes('DUE;TZID=Europe/Berlin:20260305T140000'));
  for (const year of ['0000', '+010000'])
    assert.ok(
      !write(
        {
          ...none,
          due_at: at(`${year.length > 4 ? year : '0000'}-06-01T12:00:00Z`),
          due_written: '2026-06-01T12:00:00Z',
        },
        null,
      ).includes('DUE'),
      year,
    );
  for (const year of ['0001', '9999'])
    assert.ok(
      write({ ...none, due_at: at(`${year}-06-01T12:00:00Z`), due_written: `${year}-06-01T12:00:00Z` }, null).includes(
        `DUE:${year}0601`,
      ),
      year,
    );
});

test('an alarm rings some minutes after a task is due, or after its day has begun, while it is open', () => {
  const triggers = (changes: Partial<WrittenTask>, alarmMinutes: number | null) =>
    [...write(changes, null, { alarmMinutes } as never).matchAll(/TRIGGER;VALUE=DATE-TIME:(.*)\r/g)].map(
      ([, trigger]) => trigger,
    );
  assert.deepEqual(triggers({}, 90), ['20260305T143000Z']);
  assert.deepEqual(triggers(DAY, 90), ['20260305T093000Z']);
  assert.deepEqual(triggers({}, 0), ['20260305T130000Z']);
  assert.deepEqual(triggers({}, null), []);
  assert.deepEqual(triggers({ status: 'done' }, 90), []);
});

test('a start stays as long before the due date as it was, and one at the due date is left out', () => {
  const keptOf = (...lines: string[]) => read(...lines).kept;
  const dates = (changes: Partial<WrittenTask>, kept: Kept) =>
    todoOf({ recurrence: null, ...changes }, kept).filter((line) => /^(DTSTART|DUE)/.test(line));
  const days = keptOf('DTSTART;VALUE=DATE:20260303', 'DUE;VALUE=DATE:20260305');
  assert.equal(days.startsBefore, 2);
  assert.deepEqual(dates(DAY, days), ['DTSTART;VALUE=DATE:20260303', 'DUE;VALUE=DATE:20260305']);
  const nextDay = { ...DAY, due_written: '2026-03-06T00:00:00', due_at: at('2026-03-05T23:00:00Z') };
  assert.deepEqual(dates(nextDay, days), ['DTSTART;VALUE=DATE:20260304', 'DUE;VALUE=DATE:20260306']);
  assert.deepEqual(dates(NEXT, days), ['DUE:20260306T130000Z'], 'days mean nothing beside a time');
  const hours = keptOf('DTSTART:20260305T110000Z', 'DUE:20260305T130000Z');
  assert.equal(hours.startsBefore, 7_200);
  assert.deepEqual(dates(NEXT, hours), ['DTSTART:20260306T110000Z', 'DUE:20260306T130000Z']);
  assert.deepEqual(dates(nextDay, hours), ['DUE;VALUE=DATE:20260306']);
  const same = keptOf(`DTSTART;X-LONG="${'x'.repeat(80)}":20260305T130000Z`, 'DUE:20260305T130000Z');
  assert.equal(same.startsBefore, 0);
  assert.deepEqual(dates({}, same), ['DUE:20260305T130000Z']);
  assert.ok(!todoOf({ recurrence: null }, same).join().includes('xxx'), 'a folded line is left out as a whole');
  assert.deepEqual(dates({}, keptOf('DTSTART:20260305T130000Z', 'DUE:20260305T130000Z')), ['DUE:20260305T130000Z']);
  assert.deepEqual(dates(NEXT, same), ['DUE:20260306T130000Z']);
  assert.equal(keptOf('DTSTART;VALUE=DATE:20260303', 'DUE:20260305T130000Z').startsBefore, null);
  assert.equal(keptOf('DUE:20260305T130000Z').startsBefore, null);
  const alone = keptOf('DTSTART:20260305T130000Z');
  assert.equal(alone.startsBefore, null);
  assert.deepEqual(dates(NEXT, alone), ['DUE:20260306T130000Z']);
});

test('a state that an app sent without STATUS gets one', () => {
  const { kept } = read('DUE:20260305T130000Z', 'PERCENT-COMPLETE:20');
  const state = (changes: Partial<WrittenTask>, own: Kept) =>
    todoOf({ recurrence: null, ...changes }, own).filter((line) => /^(STATUS|COMPLETED|PERCENT)/.test(line));
  assert.deepEqual(state({}, kept), ['STATUS:NEEDS-ACTION', 'PERCENT-COMPLETE:20']);
  const done = read('COMPLETED:20260301T080000Z').kept;
  const closed = { status: 'done', completed_at: at('2026-03-01T08:00:00Z') };
  assert.deepEqual(state(closed, done), ['STATUS:COMPLETED', 'COMPLETED:20260301T080000Z']);
  assert.deepEqual(state({}, done), ['STATUS:NEEDS-ACTION']);
});

test('times for filters are those of the task, and tell a start only if it is before', () => {
  const due = at('2026-03-05T13:00:00Z').getTime();
  const created = TASK.created_at.getTime();
  assert.deepEqual(timesOf(TASK, SENT.kept, ZONE), { start: due - DAY_MS, due, completed: null, created });
  assert.deepEqual(timesOf(TASK, null, ZONE), { start: null, due, completed: null, created });
  const midnight = at('2026-03-04T23:00:00Z').getTime();
  const done = { ...TASK, ...DAY, status: 'done', completed_at: new Date(5) };
  assert.deepEqual(timesOf(done, { ...SENT.kept, startsBefore: 2 }, ZONE), {
    start: midnight - 2 * DAY_MS,
    due: midnight,
    completed: 5,
    created,
  });
  const never = { ...TASK, due_at: null, due_written: null, completed_at: new Date(5) };
  for (const has_time of [true, false])
    assert.deepEqual(timesOf({ ...never, has_time }, SENT.kept, ZONE), {
      start: null,
      due: null,
      completed: null,
      created,
    });
});

test('the tag changes with all that the text is written from, and with nothing else', () => {
  const tag = (changes: Partial<WrittenTask> = {}, uid = 'u', kept: string | null = null, view = VIEW) =>
    tagOf({ ...TASK, ...changes }, uid, kept, view);
  assert.match(tag(), /^"[\w-]{27}"$/);
  assert.equal(tag({ created_at: new Date(TASK.created_at) }), tag());
  const tags = [
    tag(),
    tag({ title: 'x' }),
    tag(NEXT),
    tag({ run_started_at: NOW }),
    tag({}, 'v'),
    tag({}, 'u', 'k'),
    tag({}, 'u', null, { ...VIEW, zone: 'UTC' }),
  ];
  assert.equal(new Set(tags).size, tags.length);
  assert.deepEqual(lastChange({ ...TASK, completed_at: NOW }), NOW);
  assert.equal(keysOfTask({ task: { ...TASK, status: 'dropped' }, uid: 'u', kept: null }, ZONE).status, 'open');
  assert.equal(keysOfTask({ task: { ...TASK, status: 'done' }, uid: 'u', kept: null }, ZONE).status, 'done');
});

test('a rule is given back as it was sent only while the series is where the app has it', () => {
  const rules = (changes: Partial<WrittenTask>, kept: Kept | null = SENT.kept) =>
    todoOf(changes, kept).filter((line) => line.startsWith('RRULE'));
  const sent = ['RRULE:FREQ=DAILY;COUNT=3'];
  assert.deepEqual(rules({}), sent);
  assert.deepEqual(
    rules({ series_first: '2026-03-05T15:00:00' }),
    rules({ series_first: '2026-03-05T15:00:00' }, null),
  );
  assert.deepEqual(rules({ recurrence: null }), []);
  assert.deepEqual(rules({ recurrence: '{"freq":"weekly"}' }), ['RRULE:FREQ=WEEKLY']);
  const unread = read('DUE:20260305T130000Z', 'RRULE:FREQ=SECONDLY').kept;
  assert.deepEqual(rules({ recurrence: null }, unread), ['RRULE:FREQ=SECONDLY'], 'one that we cannot follow');
  assert.deepEqual(rules({ ...NEXT, recurrence: null }, unread), ['RRULE:FREQ=SECONDLY']);
});

const REFUSED: readonly [why: RegExp, lines: string[]][] = [
  [/not one VCALENDAR/, []],
  [/not one VCALENDAR/, ['BEGIN:VTODO', 'UID:u', 'END:VTODO']],
  [
    /not one VCALENDAR/,
    Array(2).fill(['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', 'END:VTODO', 'END:VCALENDAR']).flat(),
  ],
  [/hold tasks/, ['BEGIN:VCALENDAR', 'END:VCALENDAR']],
  [/hold tasks/, ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:u', 'END:VEVENT', 'END:VCALENDAR']],
  ...['VEVENT', 'VJOURNAL'].map((name): [RegExp, string[]] => [
    /hold tasks/,
    ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', 'END:VTODO', `BEGIN:${name}`, 'UID:u', `END:${name}`, 'END:VCALENDAR'],
  ]),
  [
    /several UIDs/,
    ['BEGIN:VCALENDAR', ...['u', 'v'].flatMap((uid) => ['BEGIN:VTODO', `UID:${uid}`, 'END:VTODO']), 'END:VCALENDAR'],
  ],
  [
    /exactly one/,
    ['BEGIN:VCALENDAR', ...['u', 'u'].flatMap((uid) => ['BEGIN:VTODO', `UID:${uid}`, 'END:VTODO']), 'END:VCALENDAR'],
  ],
  [
    /exactly one/,
    ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', 'RECURRENCE-ID:20260306T130000Z', 'END:VTODO', 'END:VCALENDAR'],
  ],
  [/needs a UID/, ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'END:VTODO', 'END:VCALENDAR']],
  [/needs a UID/, ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID: ', 'END:VTODO', 'END:VCALENDAR']],
  [/needs a UID/, ['BEGIN:VCALENDAR', 'BEGIN:VTODO', `UID:${'u'.repeat(501)}`, 'END:VTODO', 'END:VCALENDAR']],
  [/cannot be read/, ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', 'DUE:soon', 'END:VTODO', 'END:VCALENDAR']],
];

test('what is not one task is refused, with a sentence', () => {
  for (const [why, lines] of REFUSED)
    assert.throws(() => readAll(...lines), { name: 'DavRefusal', status: 403, message: why }, lines.join(' '));
  const uid = 'u'.repeat(500);
  assert.equal(readAll('BEGIN:VCALENDAR', 'BEGIN:VTODO', `UID:${uid}`, 'END:VTODO', 'END:VCALENDAR').uid, uid);
});

test('texts are cut to what a task holds, by characters', () => {
  const fields = (...lines: string[]) => read(...lines).fields;
  assert.equal(fields(`SUMMARY:${'👍'.repeat(200)}`).title, '👍'.repeat(200));
  assert.equal(fields(`SUMMARY:${'👍'.repeat(201)}`).title, `${'👍'.repeat(199)}…`);
  assert.equal(fields(`DESCRIPTION:${'x'.repeat(10_001)}`).notes?.length, 10_000);
  assert.equal(fields(`CATEGORIES:${'👍'.repeat(101)}`).kind, '👍'.repeat(100));
  assert.equal(fields('SUMMARY: a\\nb ', 'DESCRIPTION:c').title, 'a\nb');
  assert.equal(fields('SUMMARY:a\u0000b').title, 'a b');
  assert.equal(fields('DESCRIPTION: first \\nsecond').title, 'first');
  assert.equal(fields('DESCRIPTION:a\r\\nb').notes, 'a\nb', 'a line end of Windows is one line end');
  assert.deepEqual(
    [0, 1, 4, 5].map((priority) => fields(`PRIORITY:${priority}`).isHigh),
    [false, true, true, false],
  );
  assert.equal(fields('STATUS:NEEDS-ACTION').completedAt, null);
});

test('a rule is read by the clock of the owner, and one that cannot be followed is kept as text', () => {
  const rule = (...lines: string[]) => read(...lines).fields.recurrence?.rrule;
  assert.equal(
    rule('DTSTART:20260305T080000Z', 'DUE:20260305T080000Z', 'RRULE:FREQ=DAILY;UNTIL=20260309T080000Z'),
    'FREQ=DAILY;UNTIL=20260309T080000Z',
  );
  assert.equal(rule('DUE:20260305', 'RRULE:FREQ=DAILY'), 'FREQ=DAILY');
  const [early, due] = ['DTSTART:20260304T080000Z', 'DUE:20260305T080000Z'];
  assert.equal(rule(early, due, 'RRULE:FREQ=WEEKLY;BYDAY=TH'), undefined, 'days that are counted from another one');
  assert.equal(rule('DTSTART:20260305T070000Z', due, 'RRULE:FREQ=WEEKLY;BYDAY=TH'), 'FREQ=WEEKLY;BYDAY=TH');
  const moved = 'FREQ=DAILY;UNTIL=20260310T090000';
  assert.equal(rule(early, due, 'RRULE:FREQ=DAILY;UNTIL=20260309T080000Z'), moved, 'the end moves with the due date');
  const days = ['DTSTART;VALUE=DATE:20260304', 'DUE;VALUE=DATE:20260306'];
  assert.equal(rule(...days, 'RRULE:FREQ=DAILY;UNTIL=20260309'), 'FREQ=DAILY;UNTIL=20260311T235959');
  const broken = read('DUE:20260305T080000Z', 'RRULE:FREQ=NEVER');
  assert.deepEqual([broken.fields.recurrence, broken.kept.lines.rule], [null, 'RRULE:FREQ=NEVER\r\n']);
  assert.equal(broken.fields.due?.text, '2026-03-05T08:00:00Z', 'the date is read without the rule');
  assert.equal(read('DTSTAMP:never', 'GEO:x', due).fields.due?.hasTime, true, 'what is not needed may be anything');
});

test('an archive may bring back what was kept, and nothing that is not lines', () => {
  const { kept } = SENT;
  const check = (changes: object) => isKept(JSON.stringify({ ...kept, ...changes }));
  assert.equal(check({}), true);
  assert.equal(
    check({ recurrence: null, startsBefore: null, isHigh: false, categories: [], zones: {}, rest: '' }),
    true,
  );
  const wrong = [
    { rest: 7 },
    { rest: 'x' },
    { rest: 'X:1' },
    { rest: ' continued\r\n' },
    { rest: 'BEGIN:VALARM\r\n', lines: { ...kept.lines, title: 'END:VALARM\r\n' } },
    { zones: { a: textOf(OFFICE).trimEnd() } },
    { zones: { a: textOf([...OFFICE, ...OFFICE]) } },
    { rest: 'END:VTODO\r\nBEGIN:VTODO\r\n' },
    { rest: 'END:VTODO\r\nEND:VCALENDAR\r\nBEGIN:VCALENDAR\r\nBEGIN:VTODO\r\n' },
    { lines: { ...kept.lines, title: 'x' } },
    { lines: { ...kept.lines, title: undefined } },
    { keys: { ...kept.keys, due: 7 } },
    { keys: undefined },
    { zones: { a: 7 } },
    { zones: { a: 'x' } },
    { zones: { a: 'BEGIN:VTODO\r\nEND:VTODO\r\n' } },
    { categories: [7] },
    { categories: 'text' },
    { recurrence: 7 },
    { startsBefore: 0.5 },
    { startsBefore: 'x' },
    { isHigh: 1 },
  ];
  for (const changes of wrong) assert.equal(check(changes), false, JSON.stringify(changes));
  assert.deepEqual(['', 'null', '{}', 'x'].map(isKept), [false, false, false, false]);
  assert.match(hashOfKept('a'), /^[\w-]{43}$/);
  assert.notEqual(hashOfKept('a'), hashOfKept('b'));
});

test('lines that only look like ours, or stand for a field in another way, are kept', () => {
  const { kept } = read('DTSTART:20260305T080000Z', 'DURATION:PT1H');
  assert.equal(kept.lines.due, 'DTSTART:20260305T080000Z\r\nDURATION:PT1H\r\n');
  assert.deepEqual(read('DUE: 20260305 ').fields.due, { text: '2026-03-05T00:00:00', hasTime: false });
  assert.equal(read('SUMMARY:a\uFEFFb').fields.title, 'a\uFEFFb');
  assert.ok(todoOf({}, read('X-CREATED:1').kept).includes('CREATED:20260101T000000Z'));
  const other = ['BEGIN:VALARM', 'UID:x-crescendo-1', 'END:VALARM'];
  const part = ['BEGIN:X-PART', 'X-CRESCENDO-ALARM:1', 'END:X-PART'];
  assert.equal(read(...other, ...part).kept.rest, textOf([...other, ...part]));
  const sent = read('DUE;TZID=America/New_York:20260305T080000').kept;
  assert.deepEqual(zonesOf({ recurrence: null }, sent), [], 'a zone that the app has not described');
});

test('an override is done by any of the lines that say so', () => {
  const isDone = (...state: string[]) =>
    readAll(
      'BEGIN:VCALENDAR',
      ...['BEGIN:VTODO', 'UID:u', 'DUE:20260305T080000Z', 'RRULE:FREQ=DAILY', 'END:VTODO'],
      ...['BEGIN:VTODO', 'UID:u', 'RECURRENCE-ID:20260306T080000Z', ...state, 'END:VTODO'],
      'END:VCALENDAR',
    ).overrides[0]?.isDone;
  assert.deepEqual(
    [isDone('STATUS:COMPLETED'), isDone('COMPLETED:20260306T080000Z'), isDone('PERCENT-COMPLETE:100'), isDone()],
    [true, true, true, false],
  );
});
