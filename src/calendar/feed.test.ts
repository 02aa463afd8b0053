import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedTask } from './calendar.store.ts';
import { type FeedView, feedTag, writeFeed } from './feed.ts';

test('the tag of a feed changes with everything that its text depends on, and with nothing else', () => {
  const view: FeedView = { form: 'vevent', zone: 'Europe/Berlin', now: new Date('2026-03-02T09:00:00Z') };
  const at = new Date('2026-03-01T09:00:00Z');
  const task = { id: 'one', changed_at: at, updated_at: at };
  const tag = feedTag(view, [task]);
  assert.equal(feedTag({ ...view, now: new Date('2026-12-31T09:00:00Z') }, [task]), tag);
  const later = new Date('2026-03-02T09:00:00Z');
  const others = [
    feedTag({ ...view, form: 'vtodo' }, [task]),
    feedTag({ ...view, zone: 'UTC' }, [task]),
    feedTag({ ...view, now: new Date('2027-01-01T09:00:00Z') }, [task]),
    feedTag(view, []),
    feedTag(view, [{ ...task, changed_at: later }]),
    feedTag(view, [{ ...task, updated_at: later }]),
  ];
  assert.equal(new Set([tag, ...others]).size, 7);
});

const NOW = new Date('2026-03-02T09:00:00Z');
const TASK: FeedTask = {
  id: 'one',
  title: 'pills',
  notes: null,
  due_at: new Date('2026-03-09T08:00:00Z'),
  due_written: '2026-03-09T09:00:00+01:00',
  has_time: true,
  series_first: null,
  recurrence: null,
  created_at: new Date('2026-03-01T09:00:00Z'),
  updated_at: new Date('2026-03-01T09:01:30.500Z'),
};
const DAILY = { recurrence: '{"freq":"daily"}', series_first: '2026-03-09T09:00:00' };

async function linesOf(tasks: readonly Partial<FeedTask>[], view: Partial<FeedView> = {}): Promise<string[]> {
  const pages = (async function* () {
    for (const task of tasks) yield [{ ...TASK, ...task }];
  })();
  const whole: FeedView = { form: 'vevent', zone: 'Europe/Berlin', now: NOW, ...view };
  return (await writeFeed(whole, pages, new AbortController().signal)).split('\r\n');
}

const named = (lines: readonly string[], name: RegExp): string[] => lines.filter((line) => name.test(line));

test('an event has the times of its task, lasts a quarter of an hour and keeps its owner free', async () => {
  const lines = await linesOf([{ notes: 'a\rb\u0007' }]);
  for (const line of [
    'UID:one',
    'DTSTAMP:20260301T090130Z',
    'LAST-MODIFIED:20260301T090130Z',
    'CREATED:20260301T090000Z',
    'SEQUENCE:90',
    'DTSTART;TZID=Europe/Berlin:20260309T090000',
    'DURATION:PT15M',
    'TRANSP:TRANSPARENT',
    'DESCRIPTION:a b ',
  ])
    assert.ok(lines.includes(line), `${line} in\n${lines.join('\n')}`);
  const day = await linesOf([{ has_time: false, due_written: '2026-03-09T00:00:00+01:00' }]);
  assert.deepEqual(named(day, /^(DTSTART|DURATION|DESCRIPTION|BEGIN:VTIMEZONE)/), ['DTSTART;VALUE=DATE:20260309']);
  const utc = await linesOf([{}], { zone: 'UTC' });
  assert.deepEqual(named(utc, /^(DTSTART|BEGIN:VTIMEZONE)/), ['DTSTART:20260309T080000Z']);
});

test('a task has its due date, and a start only where a rule needs one', async () => {
  const single = await linesOf([{}], { form: 'vtodo' });
  assert.deepEqual(named(single, /^(DTSTART;|DUE|RRULE|STATUS|TRANSP|DURATION)/), [
    'DUE;TZID=Europe/Berlin:20260309T090000',
    'STATUS:NEEDS-ACTION',
  ]);
  const series = await linesOf([DAILY], { form: 'vtodo' });
  assert.deepEqual(named(series, /^(DTSTART;|DUE|RRULE)/), [
    'DTSTART;TZID=Europe/Berlin:20260309T090000',
    'DUE;TZID=Europe/Berlin:20260309T090000',
    'RRULE:FREQ=DAILY',
  ]);
});

test('the zone is described from the year before the earliest task with a time', async () => {
  const inYear = (year: number) => ({ due_at: new Date(Date.UTC(year, 2, 9, 8)) });
  const first = (lines: readonly string[]) => named(lines, /^DTSTART:/)[0];
  assert.equal(first(await linesOf([inYear(2026), inYear(2015), inYear(2020)])), 'DTSTART:20140101T000000');
  const undated = { has_time: false, due_at: null, due_written: '1990-03-09T00:00:00' };
  assert.equal(first(await linesOf([inYear(2026), undated])), 'DTSTART:20250101T000000');
  assert.deepEqual(named(await linesOf([{ due_at: null }, inYear(20_000)]), /^BEGIN:V(EVENT|TIMEZONE)/), []);
});

test('a feed that nobody waits for is written no further', async () => {
  const gone = new AbortController();
  const pages = (async function* () {
    yield [TASK];
    gone.abort(new Error('hung up'));
    yield [TASK];
  })();
  const view: FeedView = { form: 'vevent', zone: 'UTC', now: NOW };
  await assert.rejects(writeFeed(view, pages, gone.signal), /hung up/);
});
