/** The ways in which apps say that an occurrence is done, each stored by an app and seen by its owner. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { TasksService } from '../../src/tasks/tasks.service.ts';
import { connectApp, type DavClient, queryReport, unfolded } from '../support/caldav-client.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { type Person, startWithAda } from '../support/people.ts';

/** The clock of tests begins on Monday, 2 March 2026, at 09:00 UTC. */
const SERIES = { title: 'Pills', due_at: '2026-03-02T08:00:00Z', has_time: true, recurrence: { freq: 'daily' } };
const NEXT = '2026-03-03T08:00:00.000Z';

interface Started {
  readonly id: string;
  readonly phone: DavClient;
  /** The VTODO as the app got it, line by line. */
  readonly lines: readonly string[];
  readonly tag: string;
}

async function start(app: Parameters<typeof connectApp>[0], ada: Person, task: object = SERIES): Promise<Started> {
  const { body } = await ada.ask('POST', '/v1/tasks', task);
  const phone = await connectApp(app, ada);
  const { text, tag } = await phone.get(`${body.data.id}.ics`);
  return { id: body.data.id, phone, lines: todoOf(text), tag };
}

function todoOf(text: string): string[] {
  const lines = unfolded(text);
  return lines.slice(lines.indexOf('BEGIN:VTODO') + 1, lines.indexOf('END:VTODO'));
}

const readTask = async (person: Person, id: string) => (await person.ask('GET', `/v1/tasks/${id}`)).body.data;
const outcomesOf = async (person: Person) => (await person.ask('GET', '/v1/outcomes')).body.data;
const timelineOf = async (person: Person, id: string) =>
  (await person.ask('GET', `/v1/tasks/${id}/timeline`)).body.data.map(
    ({ kind, via }: { kind: string; via: string }) => [kind, via],
  );

const without = (lines: readonly string[], name: RegExp): string[] => lines.filter((line) => !name.test(line));
/** As an app that keeps no unknown properties sends it. */
const plain = (lines: readonly string[]): string[] => without(lines, /^X-CRESCENDO/);
const done = (lines: readonly string[]): string[] => [
  ...without(lines, /^(STATUS|COMPLETED|PERCENT)/),
  'STATUS:COMPLETED',
  'COMPLETED:20260302T090000Z',
  'PERCENT-COMPLETE:100',
];
const dueOn = (lines: readonly string[], due: string): string[] => [...without(lines, /^(DUE|DTSTART)/), due];

/** What each kind of app sends for the task as it got it. */
const FORMS: Readonly<Record<string, (lines: readonly string[], uid: string) => string[]>> = {
  'A, DUE moved on (Tasks.org, GNOME, Apple)': (lines) => dueOn(lines, 'DUE:20260303T080000Z'),
  'A, with a start (Apple)': (lines) => [...dueOn(lines, 'DUE:20260303T080000Z'), 'DTSTART:20260303T080000Z'],
  'B, the whole series completed (Home Assistant)': done,
  'C, an override (Thunderbird, jtx Board)': (lines, uid) => [
    'BEGIN:VTODO',
    ...lines,
    'END:VTODO',
    'BEGIN:VTODO',
    `UID:${uid}`,
    'SUMMARY:Pills',
    'RECURRENCE-ID:20260302T080000Z',
    'STATUS:COMPLETED',
    'COMPLETED:20260302T090000Z',
    'END:VTODO',
  ],
  'E, a property of KDE': (lines) => [...lines, 'X-KDE-LIBKCAL-DTRECURRENCE:20260303T080000Z'],
};

onEveryEngineWith(startWithAda, (it, test) => {
  for (const [name, change] of Object.entries(FORMS)) {
    for (const keepsUnknown of [true, false]) {
      it(`form ${name}${keepsUnknown ? '' : ', unknown properties lost'}: one Done, however often it is sent`, async ({
        app,
        ada,
      }) => {
        const { id, phone, lines } = await start(app, ada);
        const sent = change(keepsUnknown ? lines : plain(lines), id);
        for (let round = 0; round < 3; round += 1) assert.equal(await phone.put(`${id}.ics`, sent), 204);
        const task = await readTask(ada, id);
        assert.deepEqual([task.due_at, task.status], [NEXT, 'open']);
        assert.deepEqual(
          (await outcomesOf(ada)).map(({ outcome, occurrence_due_at }: Record<string, string>) => [
            outcome,
            occurrence_due_at,
          ]),
          [['done', '2026-03-02T08:00:00.000Z']],
        );
        assert.deepEqual(
          (await timelineOf(ada, id)).find(([kind]: [string]) => kind === 'done'),
          ['done', 'caldav'],
        );
        const served = (await phone.get(`${id}.ics`)).lines;
        assert.ok(served.includes('STATUS:NEEDS-ACTION'));
        assert.ok(
          served.some((line) => /^DUE.*20260303T080000/.test(line)),
          served.join('\n'),
        );
        assert.ok(!served.some((line) => /^(COMPLETED|RECURRENCE-ID|X-KDE|PERCENT)/.test(line)), served.join('\n'));
        // The next one counts again, though the app says it in the same words.
        const next = await phone.get(`${id}.ics`);
        await ada.ask('POST', `/v1/tasks/${id}/complete`, { occurrence_due_at: NEXT });
        assert.equal(await phone.put(`${id}.ics`, sent, { 'if-match': next.tag }), 412);
        await phone.put(`${id}.ics`, sent);
        assert.equal((await outcomesOf(ada)).length, 2);
        assert.equal((await readTask(ada, id)).due_at, '2026-03-04T08:00:00.000Z');
      });
    }
  }

  it('form D: the old series ends done, and the new one goes on', async ({ app, ada }) => {
    const { id, phone, lines } = await start(app, ada);
    const ended = done(without(lines, /^RRULE/));
    assert.equal(await phone.put(`${id}.ics`, ended), 204);
    const begun = ['UID:new', 'SUMMARY:Pills', 'DUE:20260303T080000Z', 'RRULE:FREQ=DAILY'];
    assert.equal(await phone.put('new.ics', begun, { 'if-none-match': '*' }), 201);
    assert.equal((await readTask(ada, id)).status, 'done');
    const { data } = (await ada.ask('GET', '/v1/tasks?status=open')).body;
    const [series] = await Promise.all(data.map(({ id: open }: { id: string }) => readTask(ada, open)));
    assert.deepEqual([data.length, series.due_at, series.recurrence], [1, NEXT, { rrule: 'FREQ=DAILY' }]);
    assert.equal((await outcomesOf(ada)).length, 1);
    const moved = await start(app, ada);
    const endedLater = done(dueOn(without(moved.lines, /^RRULE/), 'DUE:20260302T083000Z'));
    assert.equal(await phone.put(`${moved.id}.ics`, endedLater, { 'if-match': moved.tag }), 204);
    const { status, due_at } = await readTask(ada, moved.id);
    assert.deepEqual([status, due_at], ['done', '2026-03-02T08:30:00.000Z']);
  });

  it('a Done that its owner says while an app renames the task and says it too counts once', async ({ app, ada }) => {
    const { id, phone, lines } = await start(app, ada);
    const { edit } = TasksService.prototype;
    const editing = mock.method(TasksService.prototype, 'edit', async function (this: TasksService, ...given) {
      editing.mock.restore();
      const edited = await edit.apply(this, given);
      await ada.ask('POST', `/v1/tasks/${id}/complete`, { occurrence_due_at: SERIES.due_at });
      return edited;
    } as typeof edit);
    assert.equal(await phone.put(`${id}.ics`, done([...without(lines, /^SUMMARY/), 'SUMMARY:Vitamins'])), 204);
    const { title, due_at } = await readTask(ada, id);
    assert.deepEqual([title, due_at, (await outcomesOf(ada)).length], ['Vitamins', NEXT, 1]);
  });

  test('a completed copy of an occurrence is kept as done, counts as nothing and rings never', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const copy = done(['UID:copy', 'SUMMARY:Pills', 'DUE:20260302T080000Z']);
    assert.equal(await phone.put('copy.ics', copy, { 'if-none-match': '*' }), 201);
    const [task] = (await ada.ask('GET', '/v1/tasks')).body.data;
    assert.deepEqual([task.status, task.next_fire_at, task.nudge_count], ['done', null, 0]);
    assert.deepEqual(await outcomesOf(ada), []);
    for (const line of copy) assert.ok((await phone.get('copy.ics')).lines.includes(line), line);
  });

  it('an old copy brings back neither a date that is over nor a task that is done', async ({ app, ada }) => {
    for (const keepsUnknown of [true, false]) {
      const { id, phone, lines } = await start(app, ada);
      const renamed = [...without(keepsUnknown ? lines : plain(lines), /^SUMMARY/), 'SUMMARY:Vitamins'];
      await ada.ask('POST', `/v1/tasks/${id}/complete`, { occurrence_due_at: '2026-03-02T08:00:00Z' });
      assert.equal(await phone.put(`${id}.ics`, renamed), 204);
      const series = await readTask(ada, id);
      assert.deepEqual([series.title, series.due_at], ['Vitamins', NEXT]);
      const single = await start(app, ada, { title: 'Once', due_at: '2026-03-02T08:00:00Z', has_time: true });
      const old = [...without(keepsUnknown ? single.lines : plain(single.lines), /^SUMMARY/), 'SUMMARY:Once more'];
      await ada.ask('POST', `/v1/tasks/${single.id}/complete`);
      await phone.put(`${single.id}.ics`, old);
      const task = await readTask(ada, single.id);
      assert.deepEqual([task.title, task.status], ['Once more', 'done']);
    }
  });

  it('two apps that tick off the same occurrence make one Done', async ({ app, ada }) => {
    const { id, phone, lines, tag } = await start(app, ada);
    const tablet = await connectApp(app, ada);
    const statuses = await Promise.all([
      phone.put(`${id}.ics`, done(lines), { 'if-match': tag }),
      tablet.put(`${id}.ics`, dueOn(lines, 'DUE:20260303T080000Z')),
      tablet.put(`${id}.ics`, done(lines), { 'if-match': tag }),
    ]);
    assert.ok(
      statuses.every((status) => status === 204 || status === 412),
      String(statuses),
    );
    assert.equal((await outcomesOf(ada)).length, 1);
    assert.equal((await readTask(ada, id)).due_at, NEXT);
  });

  it('what an app changed stays, although it did not know what was changed here', async ({ app, ada }) => {
    const { id, phone, lines } = await start(app, ada, {
      title: 'A',
      notes: 'x',
      due_at: '2026-03-05T08:00:00Z',
      has_time: true,
    });
    await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'B', due_at: '2026-03-09T08:00:00Z' });
    await phone.put(`${id}.ics`, [...without(lines, /^DESCRIPTION/), 'DESCRIPTION:y']);
    const task = await readTask(ada, id);
    assert.deepEqual([task.title, task.notes, task.due_at], ['B', 'y', '2026-03-09T08:00:00.000Z']);
  });

  it('a tick that is taken away opens the task again, within a day and after it', async ({ app, ada }) => {
    const { id, phone, lines } = await start(app, ada, { title: 'Once' });
    await phone.put(`${id}.ics`, done(lines));
    const shown = await phone.get(`${id}.ics`);
    assert.ok(shown.lines.includes('STATUS:COMPLETED'));
    await phone.put(`${id}.ics`, lines, { 'if-match': shown.tag });
    assert.equal((await readTask(ada, id)).status, 'open');
    await phone.put(`${id}.ics`, done(lines));
    await app.clock.advance('3d');
    const { tag } = await phone.get(`${id}.ics`);
    assert.equal(await phone.put(`${id}.ics`, lines, { 'if-match': tag }), 204);
    const open = (await ada.ask('GET', '/v1/tasks?status=open')).body.data;
    assert.deepEqual(
      open.map(({ title }: { title: string }) => title),
      ['Once'],
    );
    assert.ok((await phone.get(`${id}.ics`)).lines.includes('STATUS:NEEDS-ACTION'));
  });

  test('a closed task takes no rule from an old copy, so that every Done counts once it is open again', async ({
    app,
    ada,
  }) => {
    const { id, phone, lines } = await start(app, ada);
    assert.equal(await phone.put(`${id}.ics`, done(without(lines, /^RRULE/))), 204);
    assert.equal(await phone.put(`${id}.ics`, done(lines)), 204);
    const closed = todoOf((await phone.get(`${id}.ics`)).text);
    const reopened = [...without(closed, /^(STATUS|COMPLETED|PERCENT)/), 'STATUS:NEEDS-ACTION'];
    assert.equal(await phone.put(`${id}.ics`, reopened), 204);
    const { status, recurrence } = await readTask(ada, id);
    assert.deepEqual([status, recurrence], ['open', null]);
    const { text } = await phone.get(`${id}.ics`);
    assert.ok(!/^RRULE/m.test(text), text);
  });

  test('at an address is one task, also if one that was there before is shown again', async ({ app, ada }) => {
    const { id: reopened, phone, lines } = await start(app, ada, { title: 'Old' });
    const { id: dropped, lines: other } = await start(app, ada, { title: 'Dropped' });
    await ada.ask('POST', `/v1/tasks/${reopened}/complete`);
    await app.clock.advance('3d');
    const { tag } = await phone.get(`${reopened}.ics`);
    assert.equal(await phone.put(`${reopened}.ics`, lines, { 'if-match': tag }), 204);
    await ada.ask('POST', `/v1/tasks/${dropped}/drop`);
    assert.equal(await phone.put(`${dropped}.ics`, other), 201);
    await ada.ask('POST', `/v1/tasks/${dropped}/reopen`);
    const { status, body } = await phone.send('REPORT', phone.list, queryReport());
    const paths = [...body.matchAll(/<D:href>([^<]*\.ics)</g)].map(([, path]) => path);
    assert.deepEqual([status, paths.length, new Set(paths).size], [207, 3, 3], paths.join());
    const texts = await Promise.all(paths.map(async (path) => (await phone.get(path?.split('/').at(-1) ?? '')).lines));
    const found = (name: RegExp) => texts.map((text) => text.find((line) => name.test(line))).sort();
    assert.equal(new Set(found(/^UID:/)).size, 3);
    assert.deepEqual(found(/^SUMMARY:/), ['SUMMARY:Dropped', 'SUMMARY:Dropped', 'SUMMARY:Old']);
    assert.deepEqual(new Set(found(/^STATUS:/)), new Set(['STATUS:NEEDS-ACTION']));
  });

  it('a rule that iCalendar cannot say is a single task whose date moves', async ({ app, ada }) => {
    const rule = { freq: 'daily', from: 'completion' };
    const { id, phone, lines } = await start(app, ada, { ...SERIES, recurrence: rule });
    assert.ok(!lines.some((line) => line.startsWith('RRULE')));
    await phone.put(`${id}.ics`, done(lines));
    const task = await readTask(ada, id);
    assert.deepEqual([task.due_at, task.status, task.recurrence], [NEXT, 'open', rule]);
    const moved = (await phone.get(`${id}.ics`)).lines;
    const todo = moved.slice(moved.indexOf('BEGIN:VTODO') + 1, moved.indexOf('END:VTODO'));
    await phone.put(`${id}.ics`, dueOn(todo, 'DUE:20260310T080000Z'));
    const later = await readTask(ada, id);
    assert.deepEqual([later.due_at, later.recurrence], ['2026-03-10T08:00:00.000Z', rule]);
  });

  test('in another time zone an app gets no rule by which it would count other dates', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const sent = ['UID:series', 'SUMMARY:Pills', 'DUE:20260302T203000Z', 'RRULE:FREQ=DAILY', 'STATUS:NEEDS-ACTION'];
    assert.equal(await phone.put('series.ics', sent), 201);
    const datesIn = (lines: readonly string[]) => lines.filter((line) => /^(DUE|RRULE)/.test(line));
    assert.deepEqual(datesIn((await phone.get('series.ics')).lines), ['DUE:20260302T203000Z', 'RRULE:FREQ=DAILY']);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Asia/Kolkata' });
    const moved = await phone.get('series.ics');
    assert.deepEqual(datesIn(moved.lines), ['DUE:20260302T203000Z']);
    const todo = moved.lines.slice(moved.lines.indexOf('BEGIN:VTODO') + 1, moved.lines.indexOf('END:VTODO'));
    assert.equal(await phone.put('series.ics', done(todo), { 'if-match': moved.tag }), 204);
    assert.deepEqual(
      (await outcomesOf(ada)).map(({ outcome }: { outcome: string }) => outcome),
      ['done'],
    );
    // Half past eight in the evening, wherever its owner is.
    assert.deepEqual(datesIn((await phone.get('series.ics')).lines), [
      'DUE;TZID=Asia/Kolkata:20260303T203000',
      'RRULE:FREQ=DAILY',
    ]);
  });

  test('a Done that the service has seen ends the nudges of its occurrence', async ({ app, ada }) => {
    const { id, phone, lines } = await start(app, ada);
    await phone.put(`${id}.ics`, dueOn(plain(lines), 'DUE:20260303T080000Z'));
    const before = await readTask(ada, id);
    await app.clock.advance('20h');
    const { nudge_count, next_fire_at } = await readTask(ada, id);
    assert.equal(nudge_count, before.nudge_count);
    assert.equal(next_fire_at, NEXT);
  });
});
