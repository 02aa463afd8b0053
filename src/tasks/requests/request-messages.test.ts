import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decide,
  type Facts,
  findNews,
  isOldNews,
  isTold,
  isTrue,
  isWanted,
  nextDayStart,
  type Sent,
} from './request-messages.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const SETTINGS = {
  timezone: 'UTC',
  day_start: '09:00',
  quiet_hours_start: null,
  quiet_hours_end: null,
  pause_from: null,
  pause_until: null,
  keep_must_not_miss: true,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: null,
  suspended_at: null,
  ladders: null,
};

/** Ada asks Bob, in their space. */
const REQUEST = {
  status: 'open',
  accepted_by_owner: false,
  assigner_id: 'ada',
  owner_id: 'bob',
  space_id: 'home',
} as const;
const ACCEPTED = { ...REQUEST, accepted_by_owner: true };

type Kind = Facts['message']['kind'];
const message = (kind: Kind, fields: Partial<Facts['message']> = {}): Facts['message'] => {
  const toAda = kind !== 'asked';
  const [recipient_id, other_id] = toAda ? ['ada', 'bob'] : ['bob', 'ada'];
  const about = { id: 'm', task_id: 't', repeat: 0, settled_at: null, created_at: NOW };
  return { ...about, kind, recipient_id, other_id, ...fields };
};
const facts = (kind: Kind, fields: Partial<Facts> = {}): Facts => ({
  message: message(kind),
  task: kind === 'accepted' || kind === 'done' ? ACCEPTED : REQUEST,
  recipient: { ...SETTINGS, hears_requests: true, deleted_at: null },
  other: { suspended_at: null, deleted_at: null },
  areMembers: true,
  isReached: kind === 'stand_in_done',
  ...fields,
});

test('a request is told while it is open, unanswered and in a space', () => {
  assert.ok(isTold(REQUEST));
  for (const other of [
    { status: 'dropped' },
    { accepted_by_owner: true },
    { assigner_id: null },
    { space_id: null },
  ] as const)
    assert.ok(!isTold({ ...REQUEST, ...other }), JSON.stringify(other));
});

test('who asked is told what the owner answers and does, and nothing else', () => {
  const told = (['accept', 'decline', 'complete', 'skip', 'drop', 'reopen', 'snooze', 'edit'] as const).map((action) =>
    findNews(ACCEPTED, action, 'owner'),
  );
  assert.deepEqual(told, ['accepted', 'declined', 'done', ...Array(5).fill(undefined)]);
  for (const by of ['assigner', 'member', 'stand_in'] as const)
    assert.equal(findNews(ACCEPTED, 'complete', by), undefined, by);
  assert.equal(findNews({ ...ACCEPTED, assigner_id: null }, 'complete', 'owner'), undefined);
  assert.equal(findNews({ ...ACCEPTED, space_id: null }, 'complete', 'owner'), undefined, 'outside of spaces');
});

test('a message is sent only while it is true', () => {
  for (const kind of ['asked', 'unanswered', 'accepted', 'done', 'stand_in_done'] as const) {
    assert.ok(isTrue(facts(kind)), kind);
    assert.ok(!isTrue(facts(kind, { message: message(kind, { settled_at: NOW }) })), `${kind}, settled`);
    const { recipient, other } = facts(kind);
    assert.ok(!isTrue(facts(kind, { recipient: { ...recipient, deleted_at: NOW } })), `${kind}, to nobody`);
    assert.ok(!isTrue(facts(kind, { other: { ...other, deleted_at: NOW } })), `${kind}, of nobody`);
    if (kind === 'stand_in_done') continue;
    assert.ok(!isTrue(facts(kind, { areMembers: false })), `${kind}, after one has left`);
    for (const changed of [{ owner_id: 'cem' }, { assigner_id: 'cem' }, { assigner_id: null }])
      assert.ok(
        !isTrue(facts(kind, { task: { ...facts(kind).task, ...changed } })),
        `${kind}: ${Object.keys(changed)}`,
      );
  }
  assert.ok(!isTrue(facts('stand_in_done', { isReached: false })));
  assert.ok(!isTrue(facts('asked', { task: ACCEPTED })));
  assert.ok(!isTrue(facts('unanswered', { task: { ...REQUEST, status: 'dropped' } })));
  assert.ok(!isTrue(facts('accepted', { task: REQUEST })));
  assert.ok(isTrue(facts('declined', { task: { ...REQUEST, status: 'declined' } })));
  assert.ok(!isTrue(facts('declined')), 'a request that was declined and asked again');
});

test('nobody is told who wants no such messages, and nothing is told to or of a suspended person', () => {
  const { recipient, other } = facts('asked');
  assert.ok(isWanted(facts('asked')));
  assert.ok(!isWanted(facts('asked', { recipient: { ...recipient, hears_requests: false } })));
  assert.ok(!isWanted(facts('asked', { recipient: { ...recipient, suspended_at: NOW } })));
  assert.ok(!isWanted(facts('asked', { other: { ...other, suspended_at: NOW } })));
});

const decideOn = (about: Facts, sent: readonly Sent[] = [], hasOthers = false, isStillTrue = true, now = NOW) =>
  decide({ ...about, isTrue: isStillTrue }, sent, hasOthers, now);
const sentAt = (at: Date, fields: Partial<Sent> = {}): Sent => ({
  task_id: 'other',
  recipient_id: 'bob',
  other_id: 'ada',
  kind: 'asked',
  sent_at: at,
  ...fields,
});
const times = (count: number, fields: Partial<Sent> = {}, at = NOW) =>
  Array.from({ length: count }, () => sentAt(at, fields));
const hoursAfter = (moment: Date, hours: number) => new Date(moment.getTime() + hours * 3_600_000);

test('who settled a task is told for a day; other answers are told however late', () => {
  const late = (kind: Kind, ms: number) => {
    const about = facts(kind, { message: message(kind, { created_at: new Date(NOW.getTime() - ms) }) });
    assert.equal(isOldNews(about.message, NOW), decideOn(about).kind === 'settle');
    return decideOn(about).kind;
  };
  assert.deepEqual([late('stand_in_done', 86_399_999), late('stand_in_done', 86_400_000)], ['send', 'settle']);
  assert.equal(late('accepted', 10 * 86_400_000), 'send');
  assert.equal(decideOn(facts('asked'), [], false, false).kind, 'settle');
});

test('a hold lets a message wait, for a quarter of an hour at a time at most, because it may end early', () => {
  const { recipient } = facts('asked');
  const until = (quiet_hours_end: string) =>
    decideOn(facts('asked', { recipient: { ...recipient, quiet_hours_start: '08:00', quiet_hours_end } }));
  assert.deepEqual(until('09:05'), { kind: 'wait', until: new Date('2026-03-02T09:05:00Z') });
  assert.deepEqual(until('12:00'), { kind: 'wait', until: new Date('2026-03-02T09:15:00Z') });
});

test('the same request is told once on a calendar day of its recipient', () => {
  const { recipient } = facts('asked');
  const inTokyo = facts('asked', { recipient: { ...recipient, timezone: 'Asia/Tokyo' } });
  // In Tokyo it is six in the evening: the day began at three in the afternoon of the day before, in UTC.
  const same = { task_id: 't' } as const;
  const nextMorning = { kind: 'wait', until: new Date('2026-03-03T00:00:00Z') };
  assert.deepEqual(decideOn(inTokyo, [sentAt(new Date('2026-03-01T15:00:00Z'), same)]), nextMorning);
  assert.equal(decideOn(inTokyo, [sentAt(new Date('2026-03-01T14:59:00Z'), same)]).kind, 'send');
  assert.equal(decideOn(inTokyo, [sentAt(NOW, { ...same, kind: 'accepted' })]).kind, 'send', 'another kind');
  assert.equal(decideOn(facts('accepted'), [sentAt(NOW, same)]).kind, 'send', 'an answer does not wait');
});

test('ten messages a day, of which one person uses seven where there are others; stand-ins have a bound of their own', () => {
  const kinds = (count: number, fields: Partial<Sent> = {}) =>
    [false, true].map((hasOthers) => decideOn(facts('asked'), times(count, fields), hasOthers).kind);
  assert.deepEqual([kinds(6), kinds(7)].flat(), ['send', 'send', 'send', 'pass']);
  assert.deepEqual([kinds(9), kinds(10)].flat(), ['send', 'pass', 'pass', 'pass']);
  assert.deepEqual(kinds(9, { other_id: 'cem' }), ['send', 'send']);
  assert.deepEqual(kinds(10, { kind: 'stand_in_done' }), ['send', 'send']);
  assert.deepEqual(kinds(10, { sent_at: hoursAfter(NOW, -12) }), ['send', 'send'], 'of the day before');
  assert.equal(decideOn(facts('stand_in_done'), times(10)).kind, 'send');
  assert.equal(decideOn(facts('stand_in_done'), times(10, { kind: 'stand_in_done' })).kind, 'pass');
});

test('the next day of a person starts by their own clock; a start of today counts if quiet hours hold it until tomorrow', () => {
  const start = (fields: Partial<typeof SETTINGS> | object) =>
    nextDayStart(NOW, { ...SETTINGS, ...fields }).toISOString();
  assert.equal(start({}), '2026-03-03T09:00:00.000Z');
  assert.equal(start({ day_start: '22:00' }), '2026-03-03T22:00:00.000Z', 'not later on the same day');
  const quiet = { day_start: '22:00', quiet_hours_start: '21:00', quiet_hours_end: '07:00' };
  assert.equal(start(quiet), '2026-03-02T22:00:00.000Z');
  assert.equal(start({ timezone: 'America/New_York', day_start: '07:30' }), '2026-03-03T12:30:00.000Z');
  // It is already three in the night of the next day there.
  const night = { timezone: 'Pacific/Auckland', day_start: '08:00' };
  assert.equal(
    nextDayStart(new Date('2026-03-02T14:00:00Z'), { ...SETTINGS, ...night }).toISOString(),
    '2026-03-03T19:00:00.000Z',
  );
});
