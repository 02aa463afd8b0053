import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evidence, type Seen, settle } from './accounting.ts';
import { type Arrival, Book, type Interruption, type Run, type Wait } from './book.ts';

const DUE = Date.parse('2026-03-02T09:00:00Z');
const HOOK = 'webhook /hook';
const PHONE = 'iPhone 1';
const ENGINE = 1;
const OTHER_ENGINE = 2;

const nudge = (target: string, afterMs: number, nudgeId?: string): Arrival => ({
  kind: 'nudge',
  target,
  taskId: 'task',
  at: DUE + afterMs,
  sender: ENGINE,
  ...(nudgeId !== undefined && { nudgeId }),
});

const ARRIVED = [nudge(HOOK, 100, 'first'), nudge(PHONE, 100)];
const TAKEN_BACK: Arrival = {
  kind: 'retraction',
  target: HOOK,
  taskId: 'task',
  refs: ['first'],
  at: DUE + 60_000,
  sender: ENGINE,
};
const ENDED: Run = { dueAt: DUE, end: { askedAt: DUE + 50_000, answeredAt: DUE + 50_100, isAwaited: true } };
const SEEN: Seen = {
  email: 'ada',
  listed: [{ id: 'task', title: 'pills', status: 'open' }],
  found: new Map([['task', ['task']]]),
  synced: [{ id: 'task', title: 'pills', status: 'open' }],
  counts: { open: 1, done: 0, skipped: 0 },
  inApp: ['pills'],
};

/** One task that was due and is open, with all its nudges, unless something else is given. */
function violationsOf(changes: Partial<Omit<Evidence, 'book'>>, run: Run = { dueAt: DUE }): readonly string[] {
  const book = new Book();
  book.people.set('ada', { email: 'ada', targets: [HOOK, PHONE] });
  book.addTask({ id: 'task', owner: 'ada', title: 'pills', status: 'open', runs: [run] });
  const sound = { arrivals: ARRIVED, seen: [SEEN], interruptions: [], waits: [], clockErrorMs: 0, now: DUE + 100_000 };
  const { violations } = settle({ book, ...sound, ...changes });
  return violations.map((sentence) => /^[^:]+/.exec(sentence)?.[0] ?? '');
}

const interruption = (fromMs: number, untilMs: number, pid: number | undefined): Interruption => ({
  name: 'stop',
  pid,
  from: DUE + fromMs,
  until: DUE + untilMs,
});

test('an account without a fault has no violation', () => {
  assert.deepEqual(violationsOf({}), []);
  assert.deepEqual(violationsOf({ arrivals: [...ARRIVED, TAKEN_BACK] }, ENDED), []);
});

test('a nudge that is missing, early, repeated without a reason or sent after the end is a violation', () => {
  assert.deepEqual(violationsOf({ arrivals: ARRIVED.slice(0, 1) }), ['never sent']);
  assert.deepEqual(violationsOf({ arrivals: [...ARRIVED, nudge(PHONE, -2_000)] }), ['early']);
  assert.deepEqual(violationsOf({ arrivals: [...ARRIVED, nudge(PHONE, 9_000)] }), ['sent twice']);
  const late = [...ARRIVED, nudge(HOOK, 400_000, 'second'), { ...TAKEN_BACK, refs: ['first', 'second'] }];
  assert.deepEqual(violationsOf({ arrivals: late, now: DUE + 500_000 }, ENDED), ['after the end']);
});

const REPEATED = [...ARRIVED, { ...nudge(HOOK, 9_000, 'first'), sender: OTHER_ENGINE }];
const TWICE = ['sent twice'];

test('a nudge after the end is excused by as long a wait for the CPU of its sender', () => {
  const late = [...ARRIVED, { ...nudge(HOOK, 400_000, 'second'), sender: OTHER_ENGINE }];
  const waited = (ms: number, pid: number | undefined) => {
    const waits = [{ pid, from: DUE + 60_000, until: DUE + 400_000, ms }];
    const arrivals = [...late, { ...TAKEN_BACK, refs: ['first', 'second'] }];
    return violationsOf({ arrivals, waits, now: DUE + 500_000 }, ENDED);
  };
  assert.deepEqual(waited(350_000, OTHER_ENGINE), []);
  assert.deepEqual(waited(350_000, ENGINE), ['after the end']);
  assert.deepEqual(waited(300_000, OTHER_ENGINE), ['after the end']);
});

test('a repetition is excused by the end of its first sender, and by that of no other process', () => {
  const repeatedAfter = (interruptions: readonly Interruption[], arrivals = REPEATED) =>
    violationsOf({ arrivals, interruptions });
  assert.deepEqual(repeatedAfter([interruption(500, 500, ENGINE)]), []);
  assert.deepEqual(repeatedAfter([interruption(500, 500, OTHER_ENGINE)]), TWICE);
  assert.deepEqual(repeatedAfter([interruption(5_000, 5_000, ENGINE)]), TWICE, 'its result was stored by then');
  assert.deepEqual(repeatedAfter([interruption(-9_000, -9_000, ENGINE)]), TWICE);
  assert.deepEqual(repeatedAfter([interruption(-5_000, 3_000, undefined)]), [], 'the database was away');
  const unknown = REPEATED.map((arrival) => ({ ...arrival, sender: undefined }));
  assert.deepEqual(repeatedAfter([interruption(500, 500, OTHER_ENGINE)], unknown), [], 'nobody knows who sent it');
  const asOther = [...ARRIVED, nudge(HOOK, 9_000, 'second')];
  assert.deepEqual(repeatedAfter([interruption(500, 500, ENGINE)], asOther), TWICE, 'another nudge is no repetition');
});

test('a repetition is excused if its sender was stopped before the first and goes on now', () => {
  const repeatedAfter = (...stop: [fromMs: number, untilMs: number]) =>
    violationsOf({ arrivals: REPEATED, interruptions: [interruption(...stop, OTHER_ENGINE)] });
  assert.deepEqual(repeatedAfter(-3_000, 8_900), []);
  assert.deepEqual(repeatedAfter(-3_000, 4_000), TWICE);
  assert.deepEqual(repeatedAfter(3_000, 8_900), TWICE);
});

test('a repetition is excused by long waits for the CPU of those who took part in it', () => {
  const wait = (atMs: number, ms: number, pid?: number): Wait => ({
    pid,
    from: DUE + atMs,
    until: DUE + atMs + 250,
    ms,
  });
  const repeatedAfter = (...waits: readonly Wait[]) => violationsOf({ arrivals: REPEATED, waits });
  const tenTimes = (...[atMs, ms, pid]: Parameters<typeof wait>) =>
    Array.from({ length: 10 }, (_, index) => wait(atMs + index * 250, ms, pid));
  assert.deepEqual(repeatedAfter(...tenTimes(0, 240, ENGINE)), []);
  assert.deepEqual(repeatedAfter(...tenTimes(0, 240)), [], 'the database or the provider waited');
  assert.deepEqual(repeatedAfter(...tenTimes(0, 240, 3)), TWICE);
  assert.deepEqual(repeatedAfter(...tenTimes(0, 100, ENGINE)), TWICE);
  assert.deepEqual(repeatedAfter(...tenTimes(10_000, 240, ENGINE)), TWICE);
});

test('a message that is not taken back is a violation', () => {
  assert.deepEqual(violationsOf({}, ENDED), ['not taken back']);
});

test('a list, a search, a phone, a count or an app that differs from the book is a violation', () => {
  const wrong = 'unequal for ada';
  const seen = (changes: Partial<Seen>) => violationsOf({ seen: [{ ...SEEN, ...changes }] });
  const [task] = SEEN.listed;
  assert.ok(task);
  assert.deepEqual(seen({ listed: [] }), ['lost', wrong]);
  assert.deepEqual(seen({ listed: [task, { ...task, id: 'other' }] }), ['doubled', 'doubled', wrong]);
  assert.deepEqual(seen({ listed: [{ ...task, status: 'done' }] }), [wrong]);
  assert.deepEqual(seen({ found: new Map([['task', []]]) }), [wrong]);
  assert.deepEqual(seen({ synced: [] }), [wrong]);
  assert.deepEqual(seen({ counts: { open: 0, done: 1, skipped: 0 } }), [wrong, wrong]);
  assert.deepEqual(seen({ inApp: ['bins'] }), [wrong, wrong]);
});

test('a write without an answer may have been carried out once', () => {
  const book = new Book();
  book.people.set('ada', { email: 'ada', targets: [] });
  book.unanswered.add('pills');
  const evidence = { book, arrivals: [], interruptions: [], waits: [], clockErrorMs: 0, now: DUE };
  assert.deepEqual(settle({ ...evidence, seen: [SEEN] }).violations, []);
  const [task] = SEEN.listed;
  assert.ok(task);
  const twice = { ...SEEN, listed: [task, { ...task, id: 'again' }] };
  book.unanswered.add('pills');
  assert.notDeepEqual(settle({ ...evidence, seen: [twice] }).violations, []);
});
