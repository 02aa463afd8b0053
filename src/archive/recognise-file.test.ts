import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import expected from '../../test/support/move-in-expected.json' with { type: 'json' };
import { sized } from '../../test/support/size.ts';
import { zipOf } from '../../test/support/zip.ts';
import { InvalidInput } from '../lib/errors.ts';
import { recogniseFile } from './recognise-file.ts';

const FOLDER = join(import.meta.dirname, '../../test/support/move-in');
const CONTEXT = { zone: 'Europe/Vienna', now: new Date('2026-03-02T09:00:00Z') };
const fixture = (name: string) => readFileSync(join(FOLDER, name));
const read = (bytes: Buffer | string, name = 'x') => {
  const { source, entries } = recogniseFile({ name, bytes: Buffer.from(bytes) });
  return { source, entries: [...entries(CONTEXT)] };
};
const titlesOf = ({ entries }: ReturnType<typeof read>) =>
  entries.flatMap((entry) => (entry.kind === 'task' ? [entry.task.title] : []));

for (const [name, wanted] of Object.entries(expected)) {
  test(`${name}: every field is read as docs/move-in.md says`, () => {
    assert.deepEqual(JSON.parse(JSON.stringify(read(fixture(name), name))), wanted);
  });
}

test('a file is recognised by its content, whatever its name, alone or in a zip', () => {
  for (const [name, { source }] of Object.entries(expected)) {
    assert.equal(read(fixture(name), 'download.bin').source, source);
    assert.equal(read(zipOf({ name, bytes: fixture(name) })).source, source, `${name} in a zip`);
  }
  const takeout = zipOf(
    { name: 'Takeout/archive_browser.html', bytes: '<p>' },
    { name: 'Takeout/Tasks/Tasks.json', bytes: fixture('google-tasks.json') },
  );
  assert.equal(read(takeout).source, 'google_tasks');
  const vikunja = zipOf(
    { name: 'VERSION', bytes: '0.24' },
    { name: 'data.json', bytes: fixture('vikunja.json') },
    { name: 'filters.json', bytes: '[]' },
    { name: 'files/1', bytes: 'x' },
  );
  assert.equal(read(vikunja).source, 'vikunja');
  const backup = read(
    zipOf(
      { name: 'Inbox [1].csv', bytes: fixture('todoist.csv') },
      { name: 'Work [2].csv', bytes: fixture('todoist.csv') },
    ),
  );
  assert.deepEqual(
    new Set(backup.entries.flatMap((entry) => (entry.kind === 'task' ? [entry.list] : []))),
    new Set(['Inbox', 'Work']),
  );
  const own = { data: { schema_version: 1, channels: [{}], tasks: [{ title: 'a', timeline: [1] }, 5] } };
  const read_own = read(JSON.stringify(own));
  assert.deepEqual([read_own.source, titlesOf(read_own)], ['crescendo', ['a']]);
});

test('a file is found among what computers put beside it, but not guessed among several', () => {
  const google = { name: 'google-tasks.json', bytes: fixture('google-tasks.json') };
  const beside = ['__MACOSX/._google-tasks.json', '.google-tasks.json'].map((name) => ({ name, bytes: 'x' }));
  assert.equal(read(zipOf(google, ...beside)).source, 'google_tasks');
  assert.throws(() => read(zipOf(google, { name: 'tasks.ics', bytes: fixture('tasks.ics') })), InvalidInput);
  assert.equal(read(`\n  ${fixture('google-tasks.json')}`).source, 'google_tasks');
  assert.equal(read(`\uFEFF\r\n${fixture('tasks.ics')}`).source, 'icalendar');
});

const HEADER = 'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,DATE,DATE_LANG';
const KNOWN = /^This file is none that is known/;

test('a broken file gets a sentence that says what and where', () => {
  for (const [bytes, said] of [
    ['', /^The file is empty$/],
    ['hello', KNOWN],
    ['{}', KNOWN],
    ['[]', KNOWN],
    [Buffer.from([0x41, 0xff, 0xfe]), /^The file is no text in UTF-8/],
    [`${HEADER}\ntask,"open`, /^A quotation mark is opened and never closed \(row 2\)$/],
    ['"Date: x"\n"Title"\n"y"', KNOWN],
    [fixture('ticktick.csv').subarray(0, -2), /never closed \(row \d+\)$/],
    [fixture('tasks-org.json').subarray(0, 500), /^The file is cut off or damaged: it is not valid JSON/],
    [fixture('google-tasks.json').subarray(0, 300), /^The file is cut off or damaged/],
    ['{"kind":"tasks#taskLists"}', /^The lists of Google Tasks are missing \(items\)$/],
    [fixture('vikunja.json').subarray(0, 100), /^The file is cut off or damaged/],
    [fixture('remember-the-milk.json').subarray(0, 100), /^The file is cut off or damaged/],
    ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VTODO\r\n', /^The file is not valid iCalendar|no tasks/],
    ['BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n', /^This calendar has 1 events and no tasks/],
    ['{"schema_version":2,"tasks":[]}', /^This export is of a newer release than this service \(schema_version\)$/],
    [zipOf(), /^The zip file is cut off or damaged|empty$/],
    [zipOf({ name: 'a.txt', bytes: 'x' }), KNOWN],
    [
      zipOf({ name: 'a.csv', bytes: `${HEADER}\n` }, { name: 'b.csv', bytes: 'x,y\n1,2' }),
      /^The columns TYPE, CONTENT, PRIORITY and INDENT of Todoist are missing \(b, row 1\)$/,
    ],
  ] as const) {
    assert.throws(
      () => read(bytes as Buffer),
      (error) => error instanceof InvalidInput && said.test(error.problems[0]?.msg ?? ''),
      `${bytes.slice(0, 40)}: ${said}`,
    );
  }
});

test('a hostile file is read in time in proportion to its size, and what is wrong in it stays where it is', () => {
  const many = sized(5_000, 50_000);
  const hostile: readonly [string, string | Buffer][] = [
    [
      'deep subtasks',
      `${HEADER}\n${Array.from({ length: many }, (_, i) => `task,t${i},,4,${i + 1},Oct 5 2027,en`).join('\n')}`,
    ],
    ['one parent', `${HEADER}\ntask,p,,4,1,,\n${'task,s,,4,2,,\n'.repeat(many)}`],
    ['a huge note', `${HEADER}\ntask,p,"${'x'.repeat(5_000_000)}",4,1,,\n`],
    ['a long title', `${HEADER}\ntask,${'@x '.repeat(100_000)},,4,1,,\n`],
    [
      'dates in words',
      `${HEADER}\n${Array.from({ length: many }, (_, i) => `task,t${i},,4,1,${'every '.repeat(30)}${i},xx`).join('\n')}`,
    ],
    ['formulas', `${HEADER}\ntask,=HYPERLINK("x"),,4,1,,\n`],
    [
      'children of one parent',
      `"List Name","Title","Due Date","Status","taskId","parentId"\n"l","p","","0","1",""\n${'"l","s","","0","2","1"\n'.repeat(many)}`,
    ],
    [
      'rings of subtasks',
      JSON.stringify([
        {
          id: 1,
          title: 'p',
          tasks: [1, 2].map((id) => ({
            id,
            title: `t${id}`,
            related_tasks: { subtask: [{ id: 3 - id, title: 'x' }] },
          })),
        },
      ]),
    ],
    ['HTML', JSON.stringify([{ title: 'p', tasks: [{ title: 't', description: '<'.repeat(200_000) }] }])],
    [
      'names of objects',
      '{"kind":"tasks#taskLists","items":[{"title":"constructor","items":[{"title":"toString","id":"valueOf"}]}]}',
    ],
    ['zero bytes', JSON.stringify({ kind: 'tasks#', items: [{ items: [{ title: 'a\u0000b\ud800', id: '1' }] }] })],
    [
      'alarms',
      JSON.stringify({
        version: 1,
        data: { tasks: [{ task: { title: 'x', dueDate: 1e15 }, alarms: Array(many).fill({ type: 2, time: -1 }) }] },
      }),
    ],
    ['numbers', '{"tasks":[{"series_id":"1","name":"x","date_due":1e308,"date_created":-5}],"lists":[]}'],
    [
      'folded lines',
      `BEGIN:VCALENDAR\r\n${'BEGIN:VTODO\r\nSUMMARY:x\r\nRRULE:FREQ=DAILY;EXDATE=1\r\nEND:VTODO\r\n'.repeat(200)}END:VCALENDAR\r\n`,
    ],
  ];
  for (const [name, bytes] of hostile) {
    const began = process.cpuUsage();
    const titles = titlesOf(read(bytes));
    const { user } = process.cpuUsage(began);
    assert.ok(titles.length > 0, name);
    assert.ok(
      titles.every((title) => typeof title === 'string' && [...title].length <= 200 && title.isWellFormed()),
      name,
    );
    // A reader that takes the square of the rows needs minutes.
    assert.ok(user < 8_000_000, `${name}: ${user / 1_000} ms`);
  }
});

test('any JSON that looks like an export is read or refused with a sentence', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const shapes = [
    (one: unknown) => ({
      kind: 'tasks#taskLists',
      items: [{ title: one, items: [one, { title: one, due: one, parent: one, links: [one] }] }],
    }),
    (one: unknown) => ({
      version: 1,
      data: {
        caldavCalendars: [one],
        tasks: [
          {
            task: { title: 'x', dueDate: one, recurrence: one, priority: one },
            alarms: [one],
            tags: [one],
            caldavTasks: [one],
          },
        ],
      },
    }),
    (one: unknown) => [
      {
        id: one,
        title: one,
        tasks: [
          one,
          {
            title: 'x',
            due_date: one,
            repeat_after: one,
            repeat_mode: one,
            reminders: [one],
            labels: [one],
            related_tasks: one,
          },
        ],
      },
    ],
    (one: unknown) => ({
      tasks: [{ series_id: '1', name: 'x', date_due: one, repeat: one, tags: [one], priority: one }, one],
      lists: [one],
      notes: [one],
    }),
    (one: unknown) => ({ schema_version: one, tasks: [one] }),
  ];
  fc.assert(
    fc.property(value, fc.constantFrom(...shapes), (one, shape) => {
      try {
        read(JSON.stringify(shape(one)));
      } catch (error) {
        assert.ok(error instanceof InvalidInput, String(error));
      }
    }),
  );
});
