import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import type { ChannelHttp, ChannelRequest } from '../channel-http.ts';
import { AddressProblem } from '../channel-provider.ts';
import { SmsProvider } from './client.ts';

const NEVER = new AbortController().signal;
const NUMBER = '+447700900123';

/** A provider that sends from a British number. `status` is what the service answers. */
function setUp(status = 201, segmentsPerDay = 100) {
  const sent: URLSearchParams[] = [];
  const counters = new Map<string, number>();
  const add = (counter: string, amount: number) => {
    counters.set(counter, (counters.get(counter) ?? 0) + amount);
    return counters.get(counter) ?? 0;
  };
  const requestTrusted = async ({ body = '' }: ChannelRequest) => {
    sent.push(new URLSearchParams(body));
    return { status, headers: {}, body: '{"sid":"SM1"}' };
  };
  /** What it held was sent before it could be cancelled. */
  const requestOnce = async ({ method }: ChannelRequest) => {
    const body = method === 'GET' ? { status: 'delivered', num_segments: '2' } : { code: 30_409 };
    return { status: method === 'GET' ? 200 : 400, headers: {}, body: JSON.stringify(body) };
  };
  const sms = new SmsProvider(
    { requestTrusted, requestOnce } as unknown as ChannelHttp,
    new FakeClock('2026-03-02T10:00:00Z'),
    {
      origin: 'https://sms.example',
      accountSid: 'AC1',
      authToken: 'x',
      from: '+447700900000',
      isHolding: false,
      segmentsPerDay,
      countries: ['+44'],
      hookUrl: 'https://crescendo.example/v1/hooks/sms',
      canBeCalled: true,
    },
    {
      count: async (counter, amount) => add(counter, amount),
      uncount: async (counter, amount) => void add(counter, -amount),
    },
  );
  const counted = () => [...counters.values()];
  return { sms, sent, counted };
}

test('what the service refused, or a cap did, counts nowhere', async () => {
  const { sms, counted } = setUp(400);
  assert.equal((await sms.send(messageOf(), { number: NUMBER }, NEVER)).kind, 'rejected');
  assert.deepEqual(
    counted(),
    counted().map(() => 0),
  );
  assert.ok(counted().length > 0);
  // The cap of all accounts is the last one.
  const few = setUp(201, 1);
  for (let times = 0; times < 3; times += 1) await few.sms.send(messageOf(), { number: NUMBER }, NEVER);
  assert.equal(few.sent.length, 1);
  assert.deepEqual(new Set(few.counted()), new Set([1]));
});

test('a message is kept for a phone that is off until the next nudge, and four hours at most', async () => {
  const { sms, sent } = setUp();
  for (const expiresAt of ['2026-03-02T09:00:00Z', '2026-03-02T10:15:00Z', '2026-03-03T10:00:00Z'])
    await sms.send(messageOf({ expiresAt: new Date(expiresAt) }), { number: NUMBER }, NEVER);
  assert.deepEqual(
    sent.map((form) => form.get('ValidityPeriod')),
    ['1', '900', '14400'],
  );
  assert.equal(sent[0]?.get('StatusCallback'), 'https://crescendo.example/v1/hooks/sms');
});

test('a number is read however it is written, and a code goes only to the countries of the operator', async () => {
  const { sms, sent } = setUp();
  for (const written of ['+44 7700 900-123', '0044 (7700) 900.123'])
    assert.deepEqual(sms.readAddress({ number: written }), { number: NUMBER });
  for (const wrong of ['07700900123', '+4', '+33612345678'])
    assert.ok(sms.readAddress({ number: wrong }) instanceof AddressProblem, wrong);
  // It was confirmed before the operator named the countries.
  const abroad = { number: '+33612345678' };
  assert.deepEqual(sms.readAddress(abroad, abroad), abroad);
  assert.deepEqual(sms.readAddress({}, abroad), abroad);
  const code = messageOf({ kind: 'confirm', actions: null, confirm: CONFIRMATION });
  assert.deepEqual(await sms.send(code, abroad, NEVER), { kind: 'rejected', reason: 'country_not_offered' });
  assert.equal(sent.length, 0);
  assert.equal((await sms.send(messageOf(), abroad, NEVER)).kind, 'accepted');
});

test('a held message that was sent counts for its number and for all', async () => {
  const { sms, counted } = setUp();
  const held = { ref: `SM${'a'.repeat(32)}`, isRetry: false, known: async () => [] };
  assert.deepEqual(await sms.release(held, { number: NUMBER }, NEVER), { kind: 'accepted' });
  assert.deepEqual(counted(), [2, 2]);
});
