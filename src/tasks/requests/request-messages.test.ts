import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HOLDS } from '../../../test/support/simulated-engine.ts';
import { decide, type Facts, findNews, isTold, isTrue, isWanted, nextDayStart, type Sent } from './request-messages.ts';

/** Monday at 23:30 in New York, Tuesday in UTC. */
const NOW = new Date('2026-03-03T04:30:00Z');
const before = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
const NEW_YORK = { ...NO_HOLDS, timezone: 'America/New_York' };
const REQUEST = { status: 'open', accepted_by_owner: false, assigner_id: 'ada', owner_id: 'bob', space_id: 'home' };

/** Ada has asked Bob. */
const ASKED: Facts = {
  message: {
    id: 'm',
    kind: 'asked',
    repeat: 0,
    task_id: 'milk',
    recipient_id: 'bob',
    other_id: 'ada',
    settled_at: null,
    created_at: NOW,
  },
  task: REQUEST,
  recipient: { ...NEW_YORK, hears_requests: true, deleted_at: null },
  other: { suspended_at: null, deleted_at: null },
  areMembers: true,
  isReached: false,
};

/** What Ada is told of it. */
const toldAda = (kind: Facts['message']['kind'], task: Partial<Facts['task']> = {}): Facts => ({
  ...ASKED,
  message: { ...ASKED.message, kind, recipient_id: 'ada', other_id: 'bob' },
  task: { ...REQUEST, ...task },
});

const sent = (count: number, fields: Partial<Sent> = {}): Sent[] =>
  Array.from({ length: count }, (_, index) => ({
    task_id: `other ${index}`,
    recipient_id: 'bob',
    other_id: 'cem',
    kind: 'asked',
    sent_at: before(60),
    ...fields,
  }));

const decided = (facts: Facts, messages: readonly Sent[] = [], hasOthers = true) =>
  decide({ ...facts, isTrue: isTrue(facts) }, messages, hasOthers, NOW).kind;

test('a message is told only while what it says is so', () => {
  const accepted = { accepted_by_owner: true };
  const cases: [facts: Facts, isSo: boolean][] = [
    [ASKED, true],
    [toldAda('unanswered'), true],
    [{ ...ASKED, task: { ...REQUEST, ...accepted } }, false],
    [toldAda('unanswered', accepted), false],
    [{ ...ASKED, task: { ...REQUEST, status: 'dropped' } }, false],
    [{ ...ASKED, task: { ...REQUEST, owner_id: 'cem' } }, false],
    [{ ...ASKED, task: { ...REQUEST, assigner_id: 'cem' } }, false],
    [{ ...ASKED, areMembers: false }, false],
    [{ ...ASKED, message: { ...ASKED.message, settled_at: NOW } }, false],
    [{ ...ASKED, recipient: { ...ASKED.recipient, deleted_at: NOW } }, false],
    [{ ...ASKED, other: { ...ASKED.other, deleted_at: NOW } }, false],
    [toldAda('declined', { status: 'declined' }), true],
    [toldAda('declined', accepted), false],
    [toldAda('accepted', accepted), true],
    [toldAda('accepted'), false],
    [toldAda('done', { ...accepted, status: 'done' }), true],
    [toldAda('done', { ...accepted, assigner_id: 'cem' }), false],
    [toldAda('stand_in_done'), false],
    [{ ...toldAda('stand_in_done'), isReached: true, areMembers: false }, true],
  ];
  for (const [facts, isSo] of cases) assert.equal(isTrue(facts), isSo, JSON.stringify(facts));
});

test('nobody hears of a request who does not want to, and nothing is heard of an account that is suspended', () => {
  assert.equal(decided(ASKED), 'send');
  const unwanted: Facts[] = [
    { ...ASKED, recipient: { ...ASKED.recipient, hears_requests: false } },
    { ...ASKED, recipient: { ...ASKED.recipient, suspended_at: NOW } },
    { ...ASKED, other: { ...ASKED.other, suspended_at: NOW } },
  ];
  assert.deepEqual(
    unwanted.map((facts) => [isWanted(facts), decided(facts)]),
    unwanted.map(() => [false, 'pass']),
  );
});

test('a day of messages is one of the recipient’s calendar, and one of ten, of which one person has seven', () => {
  const ofAda = { other_id: 'ada' };
  assert.equal(decided(ASKED, sent(9)), 'send');
  assert.equal(decided(ASKED, sent(10)), 'pass');
  assert.equal(decided(ASKED, sent(6, ofAda)), 'send');
  assert.equal(decided(ASKED, sent(7, ofAda)), 'pass');
  assert.equal(decided(ASKED, sent(7, ofAda), false), 'send', 'there is nobody else who could be kept out');
  // Of this day in New York, although UTC has another, and of the day before in New York, although UTC has this one.
  assert.equal(decided(ASKED, sent(10, { sent_at: before(12 * 60) })), 'pass');
  assert.equal(decided(ASKED, sent(10, { sent_at: before(24 * 60) })), 'send');
  // News of stand-ins are counted by themselves.
  assert.equal(decided(ASKED, sent(10, { kind: 'stand_in_done' })), 'send');
  const news = { ...toldAda('stand_in_done'), isReached: true };
  assert.equal(decided(news, sent(10)), 'send');
  assert.equal(decided(news, sent(10, { kind: 'stand_in_done' })), 'pass');
});

test('of one request a person hears once a day, and the next time when their next day starts', () => {
  const ofSame = sent(1, { task_id: 'milk', other_id: 'ada' });
  const next = new Date('2026-03-03T14:00:00Z');
  const decision = decide({ ...ASKED, isTrue: true }, ofSame, true, NOW);
  assert.deepEqual(decision, { kind: 'wait', until: next });
  assert.deepEqual(nextDayStart(NOW, NEW_YORK), next);
  // Before the start of a day too, the next day is tomorrow.
  const morning = new Date('2026-03-03T13:00:00Z');
  assert.deepEqual(nextDayStart(morning, NEW_YORK), new Date('2026-03-04T14:00:00Z'));
  const accepted = toldAda('accepted', { accepted_by_owner: true });
  assert.equal(decided(accepted, sent(1, { task_id: 'milk' })), 'send', 'an answer is heard on the day of the request');
});

test('a hold is looked at again within a quarter of an hour, and news of stand-ins are told for a day', () => {
  const held = { ...ASKED, recipient: { ...ASKED.recipient, quiet_hours_start: '22:00', quiet_hours_end: '07:00' } };
  const decision = decide({ ...held, isTrue: true }, [], true, NOW);
  assert.deepEqual(decision, { kind: 'wait', until: before(-15) });
  const news = { ...toldAda('stand_in_done'), isReached: true };
  const of = (minutes: number) => ({ ...news, message: { ...news.message, created_at: before(minutes) } });
  assert.deepEqual([decided(of(24 * 60 - 1)), decided(of(24 * 60))], ['send', 'settle']);
});

test('of requests outside of spaces nothing is told, and of answers only those that the owner gave', () => {
  assert.deepEqual([isTold(REQUEST), isTold({ ...REQUEST, space_id: null })], [true, false]);
  assert.deepEqual(
    (['accept', 'decline', 'complete', 'skip', 'drop', 'edit'] as const).map((name) =>
      findNews(REQUEST, name, 'owner'),
    ),
    ['accepted', 'declined', 'done', undefined, undefined, undefined],
  );
  assert.equal(findNews(REQUEST, 'complete', 'assigner'), undefined);
  assert.equal(findNews({ ...REQUEST, space_id: null }, 'complete', 'owner'), undefined);
  assert.equal(findNews({ ...REQUEST, assigner_id: null }, 'complete', 'owner'), undefined);
});
