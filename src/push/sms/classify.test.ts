import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelEvent } from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify, classifyAccount, isOutOfRange, isTooLateToCancel } from './classify.ts';
import { isSigned, toEvents } from './reports.ts';
import { codeCaps, heldSegments, nudgeCaps } from './sms-caps.ts';

const NOW = new Date('2026-03-02T09:00:00Z');

const ANSWERS: readonly [status: number, body: string, expected: PushResult][] = [
  [201, '{"sid":"SM1","status":"queued"}', { kind: 'accepted', ref: 'SM1' }],
  [201, 'not JSON', { kind: 'accepted' }],
  [300, '{"sid":"SM1"}', { kind: 'rejected', reason: 'http_300' }],
  [301, '{}', { kind: 'rejected', reason: 'http_301' }],
  [400, '{"code":21211}', { kind: 'gone', reason: 'no_such_number' }],
  [400, '{"code":21614}', { kind: 'gone', reason: 'no_such_number' }],
  [400, '{"code":21610}', { kind: 'gone', reason: 'stopped' }],
  [400, '{"code":21612}', { kind: 'rejected', reason: 'http_400' }],
  [400, 'null', { kind: 'rejected', reason: 'http_400' }],
  [400, '{"code":21408}', { kind: 'rejected', reason: 'number_not_enabled' }],
  [400, '{"code":21608}', { kind: 'rejected', reason: 'number_not_enabled' }],
  [400, '{"code":21606}', { kind: 'misconfigured', reason: 'http_400' }],
  [400, '{"code":35114}', { kind: 'rejected', reason: 'moment_refused' }],
  [400, '{"code":35115}', { kind: 'rejected', reason: 'moment_refused' }],
  [400, '{"code":35118}', { kind: 'rejected', reason: 'cannot_hold' }],
  [401, '{"code":20003}', { kind: 'misconfigured', reason: 'http_401' }],
  [401, '', { kind: 'misconfigured', reason: 'http_401' }],
  [403, '{"code":20403}', { kind: 'rejected', reason: 'http_403' }],
  [429, '{"code":20429}', { kind: 'retry', reason: 'http_429', isAnswered: true, afterMs: 7_000 }],
  [503, '', { kind: 'retry', reason: 'http_503', isAnswered: true, afterMs: 7_000 }],
];

for (const [status, body, expected] of ANSWERS) {
  test(`${status} with ${body || 'no body'} is ${expected.kind}`, () => {
    assert.deepEqual(classify({ status, headers: { 'retry-after': '7' }, body }, NOW), expected);
  });
}

test('what a held message is refused for is told apart: its moment, or that it is too late to cancel it', () => {
  const answer = (status: number, code: number) => ({ status, headers: {}, body: JSON.stringify({ code }) });
  assert.deepEqual(
    [35114, 35115, 35118].map((code) => isOutOfRange(answer(400, code))),
    [true, true, false],
  );
  assert.equal(isOutOfRange({ status: 400, headers: {}, body: '' }), false);
  const late = [answer(300, 30409), answer(409, 30409), answer(409, 30410), answer(200, 30409)].map(isTooLateToCancel);
  assert.deepEqual(late, [true, true, false, false]);
});

test('an account that is suspended or closed sends nothing', () => {
  const of = (status: number, body: string) => classifyAccount({ status, headers: {}, body }, NOW);
  assert.deepEqual(of(200, '{"status":"active"}'), { kind: 'accepted' });
  assert.deepEqual(of(200, '{"status":"suspended"}'), { kind: 'misconfigured', reason: 'account_suspended' });
  assert.deepEqual(of(200, '{"status":"closed"}'), { kind: 'misconfigured', reason: 'account_closed' });
  assert.deepEqual(of(404, '{"status":"closed"}'), { kind: 'rejected', reason: 'http_404' });
});

const REPORTS: readonly [form: string, events: readonly ChannelEvent[]][] = [
  ['MessageSid=SM1&MessageStatus=sent', []],
  ['MessageSid=SM1&MessageStatus=delivered', [{ kind: 'confirmed', ref: 'SM1' }]],
  [
    'MessageSid=SM1&MessageStatus=undelivered&ErrorCode=30005',
    [{ kind: 'undelivered', ref: 'SM1', reason: 'sms_30005' }],
  ],
  [
    'MessageSid=SM1&MessageStatus=failed&ErrorCode=%3Cscript',
    [{ kind: 'undelivered', ref: 'SM1', reason: 'sms_failed' }],
  ],
  [
    'MessageSid=SM1&MessageStatus=failed&ErrorCode=21610&To=%2B4477',
    [
      { kind: 'undelivered', ref: 'SM1', reason: 'sms_21610' },
      { kind: 'gone', identity: '+4477', reason: 'stopped' },
    ],
  ],
  ['From=%2B4477&Body=unsubscribe', [{ kind: 'gone', identity: '+4477', reason: 'stopped' }]],
  ['From=%2B4477&Body=Arret&OptOutType=STOP', [{ kind: 'gone', identity: '+4477', reason: 'stopped' }]],
  ['From=%2B4477&Body=stop+it+please', []],
  // The text of a message of ours, not a reply.
  ['MessageSid=SM1&MessageStatus=sent&From=%2B4477&Body=Stop', []],
  ['', []],
];

for (const [form, events] of REPORTS) {
  test(`the report ${form || '(empty)'} is ${events.map(({ kind }) => kind).join(' and ') || 'nothing'}`, () => {
    assert.deepEqual(toEvents(new URLSearchParams(form)), events);
  });
}

// The example of Twilio's documentation of its signature.
test("a request is signed as in Twilio's example, and no other field or URL has that signature", () => {
  const form = 'CallSid=CA1234567890ABCDE&Caller=%2B14158675310&Digits=1234&From=%2B14158675310&To=%2B18005551212';
  const url = 'https://example.com/myapp.php?foo=1&bar=2';
  const signature = 'L/OH5YylLD5NRKLltdqwSvS0BnU=';
  assert.equal(isSigned('12345', url, new URLSearchParams(form), signature), true);
  assert.equal(isSigned('12345', url, new URLSearchParams(form.replace('1234&', '1235&')), signature), false);
  assert.equal(isSigned('12345', url.replace('2', '3'), new URLSearchParams(form), signature), false);
  assert.equal(isSigned('12346', url, new URLSearchParams(form), signature), false);
});

const textTo = (userId: string, number: string, segments = 1) => ({ userId, number, segments });

test('a number gets 5 nudges in 15 minutes and 11 in an hour, and everybody the segments of a day without the codes', () => {
  assert.deepEqual(
    nudgeCaps(textTo('ada', '+4477', 2), 100).map(({ amount, most, windowMs, reason }) => [
      amount,
      most([1, 1]),
      windowMs,
      reason,
    ]),
    [
      [1, 5, 900_000, 'number_limit'],
      [1, 11, 3_600_000, 'number_limit'],
      [2, 80, 86_400_000, 'spending_cap'],
      [2, 80, 86_400_000, 'spending_cap'],
      [2, 80, 86_400_000, 'spending_cap'],
    ],
  );
  const [first, , ofAda, , day] = nudgeCaps(textTo('ada', '+4477'), 100);
  const [other, , ofBob, , sameDay] = nudgeCaps(textTo('bob', '+4478'), 100);
  assert.notEqual(first?.counter, other?.counter);
  assert.notEqual(ofAda?.counter, ofBob?.counter);
  assert.equal(day?.counter, sameDay?.counter);
});

test('the more segments an account or a number has had, the fewer of the day it may use up', () => {
  const mostAfter = (counts: readonly number[], perDay: number) =>
    nudgeCaps(textTo('ada', '+4477'), perDay).at(-1)?.most(counts);
  for (const sent of [1, 4, 5, 20, 21, 40]) {
    const expected = sent <= 4 ? 80 : sent <= 20 ? 60 : 40;
    assert.deepEqual([mostAfter([sent, 1], 100), mostAfter([1, sent], 100)], [expected, expected]);
  }
});

test('codes, nudges and what is held together cost what the operator allows, and without holding nothing is set aside', () => {
  for (const perDay of [5, 20, 100, 1_001]) {
    const codes = codeCaps(textTo('ada', '+4477'), { network: 'n', isNewAccount: true, hasConfirmed: false }, perDay);
    const nudges = nudgeCaps(textTo('ada', '+4477'), perDay, true);
    const most = (codes.at(-1)?.most([]) ?? 0) + (nudges.at(-1)?.most([1, 1]) ?? 0);
    assert.equal(most + heldSegments(perDay), perDay);
  }
});

test('codes and nudges share no counter, and both together cost what the operator allows', () => {
  for (const perDay of [5, 20, 100, 1_001]) {
    const codes = codeCaps(textTo('ada', '+4477'), { network: 'n', isNewAccount: true, hasConfirmed: false }, perDay);
    const nudges = nudgeCaps(textTo('ada', '+4477'), perDay);
    const counters = [...codes, ...nudges].map(({ counter }) => counter);
    assert.equal(new Set(counters).size, counters.length);
    assert.equal((codes.at(-1)?.most([]) ?? 0) + (nudges.at(-1)?.most([1, 1]) ?? 0), perDay);
  }
});

test('accounts without a number get two codes, a network four, and accounts of today half of all codes together', () => {
  const capsOf = (isNewAccount: boolean, hasConfirmed: boolean) =>
    codeCaps(textTo('ada', '+4477'), { network: '192.0.2.1', isNewAccount, hasConfirmed }, 100).map(
      ({ counter, most, reason }) => [counter, most([]), reason],
    );
  assert.deepEqual(capsOf(true, false), [
    ['sms codes of ada', 2, 'code_until_confirmed'],
    ['sms codes from 192.0.2.1', 4, 'code_limit'],
    ['sms codes to +4477', 6, 'code_limit'],
    ['sms code segments of new accounts', 10, 'code_limit'],
    ['sms code segments', 20, 'code_limit'],
  ]);
  assert.deepEqual(capsOf(false, true), [
    ['sms codes of ada', 5, 'code_limit'],
    ['sms codes from 192.0.2.1', 4, 'code_limit'],
    ['sms codes to +4477', 6, 'code_limit'],
    ['sms code segments', 20, 'code_limit'],
  ]);
});
