import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evidence, type Seen, settle } from './accounting.ts';
import { type Arrival, Book, type Fault, type Run } from './book.ts';

const DUE = Date.parse('2026-03-02T09:00:00Z');
const HOOK = 'webhook /hook';
const PHONE = 'iPhone 1';

const nudge = (target: string, afterMs: number, nudgeId?: string): Arrival => ({
  kind: 'nudge',
  target,
  taskId: 'task',
  at: DUE + afterMs,
  ...(nudgeId !== undefined && { nudgeId }),
});

const ARRIVED = [nudge(HOOK, 100, 'first'), nudge(PHONE, 100)];
const TAKEN_BACK: Arrival = { kind: 'retraction', target: HOOK, taskId: 'task', refs: ['first'], at: DUE + 60_000 };
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
  const sound = { arrivals: ARRIVED, seen: [SEEN], faults: [], clockErrorMs: 0, now: DUE + 100_000 };
  const { violations } = settle({ book, ...sound, ...changes });
  return violations.map((sentence) => /^[^:]+/.exec(sentence)?.[0] ?? '');
}

const kill = (afterMs: number): Fault => ({
  name: 'kill',
  losesResults: true,
  from: DUE + afterMs,
  until: DUE + afterMs,
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

test('a repetition is excused by a fault that lost its result, and by no other', () => {
  const repeated = [...ARRIVED, nudge(HOOK, 9_000, 'first')];
  assert.deepEqual(violationsOf({ arrivals: repeated, faults: [kill(500)] }), []);
  assert.deepEqual(violationsOf({ arrivals: repeated, faults: [kill(60_000)] }), ['sent twice']);
  const hanging = { ...kill(500), losesResults: false };
  assert.deepEqual(violationsOf({ arrivals: repeated, faults: [hanging] }), ['sent twice']);
  const other = [...ARRIVED, nudge(HOOK, 9_000, 'second')];
  assert.deepEqual(
    violationsOf({ arrivals: other, faults: [kill(500)] }),
    ['sent twice'],
    'another nudge is no repetition',
  );
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
  const evidence = { book, arrivals: [], faults: [], clockErrorMs: 0, now: DUE };
  assert.deepEqual(settle({ ...evidence, seen: [SEEN] }).violations, []);
  const [task] = SEEN.listed;
  assert.ok(task);
  const twice = { ...SEEN, listed: [task, { ...task, id: 'again' }] };
  book.unanswered.add('pills');
  assert.notDeepEqual(settle({ ...evidence, seen: [twice] }).violations, []);
});
