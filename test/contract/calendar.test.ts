import assert from 'node:assert/strict';
import ical, { type VEvent } from 'node-ical';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

async function subscribe(person: Person): Promise<string> {
  const { body } = await person.ask('POST', '/v1/me/calendar');
  return new URL(body.data.url).pathname;
}

const read = (app: TestApp, url: string, headers = {}) => app.fastify.inject({ url, headers });

/** Read by an independent library. */
const eventsIn = (text: string): VEvent[] =>
  Object.values(ical.parseICS(text)).filter((part): part is VEvent => part?.type === 'VEVENT');

async function create(person: Person, task: object): Promise<{ id: string }> {
  const { status, body } = await person.ask('POST', '/v1/tasks', { title: 'x', ...task });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

const SERIES = [
  { due_at: '2026-03-02T09:00:00', has_time: true, recurrence: { freq: 'daily' } },
  {
    due_at: '2026-03-02T09:00:00',
    has_time: true,
    recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;WKST=SU' },
  },
  { due_at: '2026-03-05T23:45:00', has_time: true, recurrence: { freq: 'weekly', until: '2026-04-20' } },
  { due_at: '2026-03-31T18:00:00', has_time: true, recurrence: { freq: 'monthly', count: 7 } },
  {
    due_at: '2026-03-27T08:00:00',
    has_time: true,
    recurrence: { freq: 'daily', by_time: ['08:00', '20:30'], count: 9 },
  },
  { due_at: '2026-03-10T06:00:00', has_time: true, recurrence: { freq: 'monthly', by_weekday: ['2tu'] } },
  {
    due_at: '2026-03-03T08:00:00',
    has_time: true,
    recurrence: { rrule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1' },
  },
];
/** More than the longest series with an end has. */
const OCCURRENCES = sized(4, 20);
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];

/** From the RRULE if there is one, otherwise from the listed dates. */
function occurrencesIn(text: string, id: string, zone: string): string[] {
  const event = eventsIn(text).find(({ uid }) => uid === id);
  assert.ok(event, id);
  const byRule = event.rrule?.between(new Date('2026-01-01'), new Date('2027-12-31'), true);
  if (byRule) return byRule.map((at) => new Date(at).toISOString());
  const [written = ''] = text.split('BEGIN:VEVENT').filter((part) => part.includes(`UID:${id}`));
  const walls = [...written.matchAll(/(?:DTSTART|RDATE)[^:]*:(\d{8}T\d{6})/g)].map(([, wall = '']) => wall);
  return walls.map((wall) =>
    new Date(Temporal.PlainDateTime.from(wall).toZonedDateTime(zone).epochMilliseconds).toISOString(),
  );
}

/** The due dates that the service itself gives the task, found by completing one occurrence after another. */
async function occurrencesOf(app: TestApp, person: Person, id: string, most: number): Promise<string[]> {
  const moments: string[] = [];
  for (let task = await readTask(person, id); task.status === 'open' && moments.length < most; ) {
    moments.push(task.due_at);
    app.clock.set(task.due_at);
    await person.ask('POST', `/v1/tasks/${id}/complete`, { occurrence_due_at: task.due_at });
    task = await readTask(person, id);
  }
  return moments;
}

const readTask = async (person: Person, id: string) => (await person.ask('GET', `/v1/tasks/${id}`)).body.data;

onEveryEngineWith(startWithAda, (it) => {
  it('the feed shows only open dated tasks, all-day ones on their written date, with their texts unchanged', async (service) => {
    const { app, ada } = service;
    const grace = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const title = 'Milk, eggs; "bread"\nand 👩‍👩‍👧 \\ more '.repeat(4);
    const allDay = await create(ada, { title, due_at: '2026-03-09T00:00:00+14:00', notes: 'a\rBEGIN:VALARM\r\nb' });
    await create(ada, { title: 'undated' });
    const done = await create(ada, { title: 'done', due_at: '2026-03-09T00:00:00Z' });
    await ada.ask('POST', `/v1/tasks/${done.id}/complete`);
    await grace.ask('POST', '/v1/tasks', { title: 'asked', owner_id: ada.userId, due_at: '2026-03-09T00:00:00Z' });
    const { body, headers } = await read(app, await subscribe(ada));
    const [event, ...others] = eventsIn(body);
    assert.deepEqual(others, []);
    assert.deepEqual([event?.uid, event?.datetype, event?.summary], [allDay.id, 'date', title]);
    assert.match(body, /DTSTART;VALUE=DATE:20260309\r\n/);
    assert.doesNotMatch(body, /VALARM\r|[^\r]\n|\r[^\n]/);
    for (const line of body.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.equal(headers['content-type'], 'text/calendar; charset=utf-8');
    assert.deepEqual([headers['cache-control'], headers['x-robots-tag']], ['private, no-cache', 'noindex']);
  });

  it('an unchanged feed is answered 304, a changed one is sent again', async ({ app, ada }) => {
    const { id } = await create(ada, { due_at: '2026-03-09T09:00:00Z', has_time: true });
    const url = await subscribe(ada);
    const { etag } = (await read(app, url)).headers;
    await app.clock.advance('1h');
    const again = await read(app, url, { 'if-none-match': `"other", W/${etag}` });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag]);
    await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'renamed' });
    assert.equal((await read(app, url, { 'if-none-match': etag })).statusCode, 200);
    const { body } = await ada.ask('GET', '/v1/me/calendar');
    assert.deepEqual([body.data.active, body.data.last_read_at], [true, '2026-03-02T10:00:00.000Z']);
  });

  it('other requests are answered while a feed of a thousand long series is written', async ({ app, ada }) => {
    const grace = await createPerson(app);
    const series = {
      has_time: true,
      recurrence: { freq: 'daily', count: 10_000 },
      series_first: '2000-01-01T09:00:00',
    };
    const tasks = Array.from({ length: sized(200, 1_000) }, (_, index) => ({
      title: `x${index}`,
      due_at: '2026-05-01T09:00:00Z',
      ...series,
    }));
    for (let from = 0; from < tasks.length; from += 500) {
      const part = tasks.slice(from, from + 500);
      const { body } = await ada.ask('POST', '/v1/me/import', { tasks: part });
      assert.equal(body.data.imported, part.length);
    }
    const url = await subscribe(ada);
    const answered: string[] = [];
    const readOnce = async () => {
      const { body: text } = await read(app, url);
      answered.push('feed');
      return text;
    };
    const other = grace.ask('GET', '/v1/me').then(() => answered.push('other'));
    const [first, second] = await Promise.all([readOnce(), readOnce(), other]);
    assert.equal(answered[0], 'other');
    assert.equal(first, second);
    assert.match(String(first), /RRULE:FREQ=DAILY;COUNT=383\r/);
    assert.equal(eventsIn(String(first)).length, tasks.length);
  });

  it('a wall-clock time that occurs twice when clocks go back is written unambiguously', async ({ app, ada }) => {
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const later = { due_at: '2027-10-31T01:30:00Z', has_time: true };
    const [once, series] = [await create(ada, later), await create(ada, { ...later, recurrence: { freq: 'daily' } })];
    const { body } = await read(app, await subscribe(ada));
    for (const { id } of [once, series]) {
      assert.equal(
        eventsIn(body)
          .find(({ uid }) => uid === id)
          ?.start.toISOString(),
        '2027-10-31T01:30:00.000Z',
      );
    }
    assert.match(body, /RDATE;TZID=Europe\/Berlin:20271101T023000/);
    assert.doesNotMatch(body, /RRULE/);
  });

  it('a task with a long free-form recurrence is in the feed, without the recurrence', async ({ app, ada }) => {
    const task = await create(ada, { due_at: '2026-03-09T09:00:00Z', recurrence: { every: 'x'.repeat(9_000) } });
    const { body } = await read(app, await subscribe(ada));
    assert.equal(eventsIn(body)[0]?.uid, task.id);
  });

  it('a feed of VTODOs can be imported, and creates no duplicates in the account it came from', async (service) => {
    const { app, ada } = service;
    const grace = await createPerson(app);
    await create(ada, {
      title: 'daily',
      due_at: '2026-03-09T09:00:00Z',
      has_time: true,
      recurrence: { freq: 'daily' },
    });
    await create(ada, { title: 'day', due_at: '2026-03-09T00:00:00' });
    const { body: payload } = await read(app, `${await subscribe(ada)}?as=vtodo`);
    const importAs = (person: Person) => importCalendar(app, person, payload);
    assert.deepEqual([(await importAs(ada)).skipped, (await importAs(grace)).imported], [2, 2]);
    const { body } = await grace.ask('GET', '/v1/tasks');
    const [day, daily] = body.data;
    assert.deepEqual(
      [day.title, day.has_time, daily.title, daily.due_at],
      ['day', false, 'daily', '2026-03-09T09:00:00.000Z'],
    );
  });

  it('tasks of another program are imported with dates, states and rules, or refused with a reason', async (service) => {
    const { app, ada } = service;
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const todos = [
      ['SUMMARY:utc', 'DUE:20260402T070000Z', 'PRIORITY:9'],
      ['SUMMARY:floating', 'DUE:20260402T090000'],
      ['SUMMARY:iana', 'DUE;TZID=America/New_York:20260402T090000'],
      ['SUMMARY:path', 'DUE;TZID=/example.org/2026/America/New_York:20260402T090000'],
      ['SUMMARY:windows', 'DUE;TZID=Eastern Standard Time:20260402T090000'],
      ['SUMMARY:own', 'DUE;TZID=Ours:20260402T090000'],
      ['SUMMARY:date', 'DUE;VALUE=DATE:20260402', 'BEGIN:VALARM', 'TRIGGER:-P2DT1H', 'ACTION:DISPLAY', 'END:VALARM'],
      ['SUMMARY:start', 'DTSTART:20260402T060000Z', 'DURATION:PT1H'],
      ['SUMMARY:weekly', 'DUE;VALUE=DATE:20260402', 'RRULE:FREQ=WEEKLY;BYDAY=TH'],
      ['SUMMARY:done', 'COMPLETED:20260201T080000Z', 'STATUS:COMPLETED', 'CREATED:20260131T080000Z'],
      ['SUMMARY:cancelled', 'STATUS:CANCELLED'],
      [`SUMMARY:${'long '.repeat(60)}`],
    ];
    const { items, imported } = await importCalendar(app, ada, calendarOf(todos));
    assert.equal(imported, todos.length, JSON.stringify(items));
    const { body } = await ada.ask('GET', '/v1/me/export');
    const found = new Map<string, Record<string, unknown>>(
      body.data.tasks.map((task: { title: string }) => [task.title, task]),
    );
    const at = (title: string) => found.get(title)?.due_at;
    const seven = '2026-04-02T07:00:00.000Z';
    const one = '2026-04-02T13:00:00.000Z';
    assert.deepEqual([at('utc'), at('floating'), at('start')], [seven, seven, seven]);
    assert.deepEqual([at('iana'), at('path'), at('windows'), at('own')], [one, one, one, '2026-04-02T03:30:00.000Z']);
    assert.deepEqual([found.get('date')?.has_time, found.get('date')?.due_written], [false, '2026-04-02T00:00:00']);
    assert.deepEqual([found.get('date')?.lead_time_days, found.get('utc')?.mode], [2, 'notify_once']);
    assert.deepEqual(found.get('weekly')?.recurrence, { rrule: 'FREQ=WEEKLY;BYDAY=TH' });
    assert.deepEqual([found.get('done')?.status, found.get('cancelled')?.status], ['done', 'dropped']);
    assert.equal(found.get('done')?.completed_at, '2026-02-01T08:00:00.000Z');
    assert.equal(body.data.tasks.filter(({ notes }: { notes: string }) => notes?.startsWith('long')).length, 1);
    assert.equal((await ada.ask('GET', '/v1/stats')).body.data.done, 1);
    assert.equal((await importCalendar(app, ada, calendarOf(todos))).skipped, todos.length);

    const refused = await importCalendar(
      app,
      ada,
      calendarOf([
        ['SUMMARY:nowhere', 'DUE;TZID=Nowhere:20260402T090000'],
        ['SUMMARY:exdate', 'DUE:20260402T070000Z', 'RRULE:FREQ=DAILY', 'EXDATE:20260403T070000Z'],
        ['SUMMARY:other day', 'DUE;TZID=America/New_York:20260402T230000', 'RRULE:FREQ=WEEKLY;BYDAY=TH'],
        ['SUMMARY:drifts', 'DUE;TZID=America/New_York:20260402T090000', 'RRULE:FREQ=DAILY'],
        ['SUMMARY:drifts too', 'DUE:20260402T070000Z', 'RRULE:FREQ=WEEKLY'],
        ['SUMMARY:hourly', 'DUE:20260402T070000Z', 'RRULE:FREQ=HOURLY'],
        ['SUMMARY:30 february', 'DUE:20260230T070000Z'],
        ['DUE:20260402T070000Z'],
      ]),
    );
    assert.deepEqual([refused.imported, refused.refused], [0, 8], JSON.stringify(refused.items));
  });

  it('an imported series keeps its last occurrence, and durations count days on the wall clock', async (service) => {
    const { app, ada } = service;
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const berlin = ';TZID=Europe/Berlin:';
    const { items, imported } = await importCalendar(
      app,
      ada,
      calendarOf([
        ['SUMMARY:dates', 'DTSTART;VALUE=DATE:20260401', 'DUE;VALUE=DATE:20260403', 'RRULE:FREQ=DAILY;UNTIL=20260403'],
        [
          'SUMMARY:over the change',
          `DTSTART${berlin}20260326T090000`,
          `DUE${berlin}20260328T100000`,
          'RRULE:FREQ=DAILY;UNTIL=20260328T080000Z',
        ],
        ['SUMMARY:two days', `DTSTART${berlin}20260328T120000`, 'DURATION:P1DT1H'],
        ['SUMMARY:parallel', 'DUE;TZID=Europe/Paris:20260402T090000', 'RRULE:FREQ=DAILY;COUNT=2'],
      ]),
    );
    assert.equal(imported, 4, JSON.stringify(items));
    const [dates, change, twoDays] = items.map(({ id }: { id: string }) => id);
    assert.equal((await occurrencesOf(app, ada, dates, 9)).length, 3);
    const due = (await readTask(ada, twoDays)).due_at;
    assert.equal(due, '2026-03-29T11:00:00.000Z');
    app.clock.set('2026-03-26T00:00:00Z');
    assert.deepEqual(await occurrencesOf(app, ada, change, 9), [
      '2026-03-28T09:00:00.000Z',
      '2026-03-29T08:00:00.000Z',
      '2026-03-30T08:00:00.000Z',
    ]);
  });

  it('tasks long overdue in another program are imported without nudges, and the report counts them', async (service) => {
    const { app, ada } = service;
    const late = Array.from({ length: 30 }, (_, index) => [`SUMMARY:late ${index}`, 'DUE:20250101T090000Z']);
    const report = await importCalendar(app, ada, calendarOf([...late, ['SUMMARY:today', 'DUE:20260302T083000Z']]));
    assert.deepEqual([report.imported, report.quiet], [31, 30]);
    await app.clock.advance('2h');
    const { body } = await ada.ask('GET', '/v1/stats');
    assert.equal(body.data.overdue, 31);
    const { body: listed } = await ada.ask('GET', '/v1/tasks');
    const nudged = listed.data.filter(({ nudge_count }: { nudge_count: number }) => nudge_count > 0);
    assert.deepEqual(
      nudged.map(({ title }: { title: string }) => title),
      ['today'],
    );
  });

  it('a hostile calendar is refused and nothing of it is imported', async ({ app, ada }) => {
    const open = 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:x\r\n';
    const hostile = ['nonsense', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR', 'BEGIN:VTODO\r\n'.repeat(100_000), open];
    for (const payload of hostile) {
      const { status } = await ask(app, ada, payload);
      assert.equal(status, 422, payload.slice(0, 60));
    }
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 0);
  });
});

onEveryEngine((engine, it) => {
  it('when a feed was read last is shown in real time', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const token = /cf_[\w-]+/.exec(await subscribe(ada))?.[0] ?? '';
    const wallClock = new FakeClock('2026-02-27T09:00:00Z');
    const clocks = { clock: app.clock, wallClock };
    const calendar = new CalendarService(app.db, clocks, new Audit(createLogger('silent')), () => undefined);
    const budget = { check: () => undefined, charge: () => undefined };
    const callerLeft = new AbortController().signal;
    await calendar.read(token, { form: 'vevent', knownTags: [], callerLeft, budget });
    assert.deepEqual((await calendar.find(ada))?.last_read_at, wallClock.now());
  });

  for (const zone of ZONES) {
    it(`in ${zone} an independent program reads the same occurrences from the feed as the service`, async () => {
      await using app = await startTestApp(engine);
      const ada = await createPerson(app);
      await ada.ask('PATCH', '/v1/me', { timezone: zone });
      const made = await Promise.all(SERIES.map((task) => create(ada, task)));
      const { body } = await read(app, await subscribe(ada));
      for (const { id } of made) {
        const theirs = occurrencesIn(body, id, zone);
        const ours = await occurrencesOf(app, ada, id, OCCURRENCES);
        assert.deepEqual(theirs.slice(0, ours.length), ours);
        if (ours.length < OCCURRENCES) assert.equal(theirs.length, ours.length);
      }
    });
  }

  it('a feed URL that was replaced, revoked or never created, or whose owner is deleted, answers 404', async () => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'debug' } });
    const ada = await createPerson(app);
    assert.equal((await ada.ask('GET', '/v1/me/calendar')).body.data.active, false);
    const first = await subscribe(ada);
    const second = await subscribe(ada);
    assert.deepEqual([(await read(app, first)).statusCode, (await read(app, second)).statusCode], [404, 200]);
    assert.equal((await ada.ask('DELETE', '/v1/me/calendar')).body.data.revoked, true);
    assert.equal((await ada.ask('DELETE', '/v1/me/calendar')).body.data.revoked, false);
    assert.equal((await read(app, second)).statusCode, 404);
    const third = await subscribe(ada);
    await ada.ask('DELETE', '/v1/me');
    for (const url of [third, '/calendar/cf_x.ics', '/calendar/x.ics', `/calendar/cf_${'x'.repeat(90)}.ics`]) {
      assert.equal((await read(app, url)).statusCode, 404, url);
    }
    const stored = await app.db.selectFrom('calendar_feeds').selectAll().execute();
    for (const url of [first, second, third]) {
      const token = url.slice('/calendar/'.length, -'.ics'.length);
      assert.ok(!JSON.stringify([app.log, stored]).includes(token));
    }
  });
});

const OUR_ZONE = ['BEGIN:VTIMEZONE', 'TZID:Ours', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0530'];

const calendarOf = (todos: readonly string[][]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...OUR_ZONE,
    'TZOFFSETTO:+0530',
    'END:STANDARD',
    'END:VTIMEZONE',
    ...todos.flatMap((lines) => ['BEGIN:VTODO', `UID:${lines[0]}`, ...lines, 'END:VTODO']),
    'END:VCALENDAR',
  ].join('\r\n');

const ask = (app: TestApp, { sessionToken }: Person, payload: string) =>
  app.ask({
    method: 'POST',
    url: '/v1/me/import',
    headers: { authorization: `Bearer ${sessionToken}`, 'content-type': 'text/calendar; charset=utf-8' },
    payload,
  });

async function importCalendar(app: TestApp, person: Person, payload: string) {
  const { status, body } = await ask(app, person, payload);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}
